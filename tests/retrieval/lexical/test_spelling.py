"""Questions in the spelling of an index: what is repaired, and what is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.lexical.oracle import chunk
from support.searched import SmallIndex
from tether.retrieval import MemoryIndex
from tether.retrieval.errors import IndexDamaged
from tether.retrieval.lexical.spelling import MOST_REPAIRED, Repair, Repaired, repaired
from tether.retrieval.ports import Searchable

TEXTS = [
    "A container keeps its address, its label and the restart policy of the service.",
    "The container is stopped, and its table of addresses is read before the network starts.",
    "Rootless containers mount a tmpfs volume; the dockerignore file is excluded.",
    "Authentication of the kubelet, the kubelets and a kubelet with a phone.",
    "Rootless mode: the tmpfs volume and the dockerignore file of a rootless service.",
    "A rootless tmpfs and a dockerignore, with the tmpfs of kubelets.",
    "A misspelled contaner stays, once, in the documents.",
    *["The container of a service has a label."] * 60,
    *["Authentication of a kubelet."] * 7,
]


@pytest.fixture(scope="module")
def index() -> MemoryIndex:
    return MemoryIndex([chunk(text, language="en") for text in TEXTS])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("contianer", "container"),
        ("servce", "service"),
        ("adress", "address"),
        ("restrat", "restart"),
        ("stoped", "stopped"),
        ("lable", "label"),
        ("rootles", "rootless"),
        ("tempfs", "tmpfs"),
        ("dockerigonre", "dockerignore"),
        ("netwrok", "network"),
        ("fone", "phone"),
        ("authentification", "authentication"),
    ],
)
def test_a_word_that_no_document_has_is_repaired(
    index: MemoryIndex, typed: str, meant: str
) -> None:
    found = repaired(index, f"how is the {typed} set?")
    assert found.text == f"how is the {meant} set?"
    assert found.repairs == (Repair(typed=typed, meant=meant, tells=True),)


def test_several_words_are_repaired_in_place(index: MemoryIndex) -> None:
    found = repaired(index, "Contianer, rootles: (adress)")
    assert found.text == "container, rootless: (address)"
    assert [it.typed for it in found.repairs] == ["Contianer", "rootles", "adress"]


@pytest.mark.parametrize(
    "question",
    [
        "the container and its label",
        "`contianer` in code marks",
        'the message "contianer adress" as it is',
        "the flag --adress and the path /adress or adress/x and adress.md",
        "adress=1 adress() adress_1 my-adress ADRESS dockerIgonre adress2 $adress",
        "bread and coffee for the violin",  # English words that no document has
        "piling tables",
        "xyzzy quux frobnicate",
        "the Kubelot service",  # a name: not a slip away
        "a lora",
        "адрес контейнер",
        "",
    ],
)
def test_everything_else_is_left_alone(index: MemoryIndex, question: str) -> None:
    assert repaired(index, question) == Repaired(text=question)


def test_a_name_is_repaired_where_letters_are_swapped(index: MemoryIndex) -> None:
    assert repaired(index, "the Contianer").text == "the container"


def test_small_words_are_repaired_and_do_not_tell(index: MemoryIndex) -> None:
    found = repaired(index, "teh label cant start")
    assert found.text == "the label can't start"
    assert [it.tells for it in found.repairs] == [False, False]


def test_a_typing_error_of_the_documents_gives_way_to_a_far_more_frequent_word(
    index: MemoryIndex,
) -> None:
    assert index.words.holders(["contaner"]) == [1]
    assert repaired(index, "the contaner").text == "the contaner"  # a letter is missing: no slip
    few = MemoryIndex([chunk("a wroker", language="en"), *[chunk("worker", language="en")] * 49])
    many = MemoryIndex([chunk("a wroker", language="en"), *[chunk("worker", language="en")] * 50])
    assert repaired(few, "wroker").text == "wroker"
    assert repaired(many, "wroker").text == "worker"


def test_a_question_of_foreign_words_is_left_alone(index: MemoryIndex) -> None:
    question = " ".join(["contianer"] * MOST_REPAIRED)
    assert repaired(index, question).text == question.replace("contianer", "container")
    assert repaired(index, f"{question} contianer").repairs == ()


def test_a_stem_that_only_other_words_have_is_not_meant() -> None:
    index = MemoryIndex([chunk("kubelizations", language="en")] * 5)
    assert index.words.holders(["kubelized", "kubelization"]) == [5, 5]
    assert repaired(index, "kubelizde").repairs == ()


class Damaged:
    """A lane whose arrays cannot be read."""

    def __getattr__(self, name: str) -> object:
        raise IndexDamaged("the lane is damaged")


def test_a_damaged_index_repairs_nothing() -> None:
    index: Searchable = SmallIndex([0], words=Damaged())  # type: ignore[arg-type]
    assert repaired(index, "the contianer") == Repaired(text="the contianer")


@given(question=st.text(alphabet=st.sampled_from("contaierlbs `\"'-./A1é"), max_size=40))
def test_a_repaired_question_differs_in_its_repairs_alone(question: str) -> None:
    index = MemoryIndex([chunk(text, language="en") for text in TEXTS[:3]])
    found = repaired(index, question)
    assert repaired(index, question) == found
    rest = found.text
    for repair in found.repairs:
        before, meant, rest = rest.partition(repair.meant)
        assert meant
        assert before + repair.typed in question
