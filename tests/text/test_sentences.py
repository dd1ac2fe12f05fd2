"""Sentences: cut where one ends, in many languages, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tether.text.sentences import LONGEST, Span, sentences, sentences_in, sentences_of


def cut(text: str, *whole: Span) -> list[str]:
    return [text[start:end] for start, end in sentences(text, whole)]


@pytest.mark.parametrize(
    "parts",
    [
        ["One ends.", "Another starts!", "Does it?", "Yes…", "It does."],
        ["He said “stop.”", "Then he left.", "(He did.)", "So."],
        ["See e.g. the guide, i.e. the long one.", "It is by J. R. Doe et al. and others."],
        ["Use v1.2.3 or 3.14 of it.", "Next."],
        ["Dr. Doe vs. Mr. Roe, cf. Fig. 3 and No. 7.", "Done."],
        ["Das gilt z.B. hier, d.h. immer.", "Und dort."],
        ["1. The first step of all.", "Then the second."],
        ["Open https://example.org/a.b?c=d.", "It works."],
        ["Run main.py and wait.", "Éteignez-la.", "Ändern Sie es."],
        ["これは文です。", "次の文！", "「はい。」", "終わり"],  # noqa: RUF001
        ["Это фраза.", "Вот вторая."],
        ["यह वाक्य है।", "दूसरा वाक्य।"],
        ["هل هذا سؤال؟", "نعم."],
        ["It ends ... and goes on... but not here.", "Now."],
        ["a lower case start. is no start of a sentence."],
    ],
    ids=lambda parts: parts[0][:24],
)
def test_prose_is_cut_between_its_sentences(parts: list[str]) -> None:
    joint = "" if parts[0].startswith("これ") else " "
    assert cut(joint.join(parts)) == parts


def test_white_space_of_any_kind_parts_sentences_and_belongs_to_none() -> None:
    assert cut("  One.\n\tTwo.  \n") == ["One.", "Two."]
    assert cut("") == []
    assert cut(" \n ") == []


def test_no_sentence_ends_inside_what_is_whole() -> None:
    text = "Call Foo. Bar( now. Then stop."
    assert cut(text, (5, 14)) == ["Call Foo. Bar( now.", "Then stop."]
    assert cut("See http://a.b/c. D and", (0, 23)) == ["See http://a.b/c. D and"]


def test_what_never_stops_is_cut_at_white_space() -> None:
    words = "word " * 1000
    found = cut(words)
    assert all(len(part) <= LONGEST for part in found)
    assert " ".join(found) == words.strip()
    solid = "x" * (3 * LONGEST)
    assert cut(f"{solid} tail") == [solid, "tail"]
    assert cut(f"{solid}\n{solid}") == [solid, solid]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_one_line_end_ends_no_sentence_and_two_do(line_end: str) -> None:
    wrapped = f"The port{line_end}of the harbour is 9."
    assert sentences_of(wrapped) == [wrapped]
    assert sentences_of(f"One{line_end}{line_end}two") == [f"One{line_end}{line_end}", "two"]
    assert sentences_of(f"One{line_end} {line_end}two") == [f"One{line_end} {line_end}", "two"]


@pytest.mark.parametrize(
    "parts",
    [
        ["Das gilt z. B. Windows betreffend, u. a. Server.", "Und d. h. Linux."],
        ["Am 3. Oktober und am 12. Mai.", "Danach nicht."],
        ["Это я.", "Вот другая, т. е. та."],  # noqa: RUF001
        ["It takes 5 ms.", "The rest waits for Ms. Roe of Acme Inc. Berlin."],
        ["Since Dec. 5 it is out.", "It came in Dec.", "Then it went."],
        ["a. Test runs of it.", "Then b. Nightly builds."],
        ['"Stop!" he said.', "Set x.", "The rest is by W. E. B. Du Bois."],
    ],
    ids=lambda parts: parts[0][:24],
)
def test_abbreviations_end_a_sentence_only_where_one_begins(parts: list[str]) -> None:
    assert cut(" ".join(parts)) == parts
    text = " ".join(parts)
    assert [text[start:end] for start, end in sentences_in(text, 0, len(text))] == parts
    assert [part.strip() for part in sentences_of(text)] == parts


alphabet = st.sampled_from("aB1.!?。 \n\"')(…-e.g. http://x")
prose = st.text(alphabet, max_size=80) | st.text(max_size=40)


@given(prose, st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=3))
@example("1. 2. 3. A", [])
@example("." * 50, [])
def test_every_character_is_in_exactly_one_sentence(text: str, whole: list[Span]) -> None:
    spans = sentences(text, [(min(span), max(span)) for span in whole])
    covered = [place for start, end in spans for place in range(start, end)]
    assert covered == sorted(set(covered))
    assert {place for place, letter in enumerate(text) if not letter.isspace()} <= set(covered)
    for start, end in spans:
        assert text[start:end] == text[start:end].strip() != ""


def test_a_name_in_small_letters_may_begin_a_sentence() -> None:
    text = "It is small. etcd stores the state. main() is called first, approx. ten is enough."
    assert [text[slice(*span)] for span in sentences_in(text, 0, len(text))] == [
        "It is small.",
        "etcd stores the state.",
        "main() is called first, approx. ten is enough.",
    ]
