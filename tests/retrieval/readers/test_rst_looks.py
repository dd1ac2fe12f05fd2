"""reStructuredText in text files: told by its looks, and plain text stays plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.readers.pages import read, shape
from tether.retrieval.readers.rst_looks import looks_like_rst

TITLE = "Models\n======\n\n"
RST = [
    f"{TITLE}.. module:: db.models\n",
    f"{TITLE}See :doc:`fields`.\n",
    f"{TITLE}See `fields`_ or `this page <x>`__.\n",
    f"{TITLE}.. _models:\n",
    f"{TITLE}Use ``save()``.\n",
    f"{TITLE}An example::\n\n    x = 1\n",
    f"{TITLE}>>> x\n1\n",
    "=========\n  Title\n=========\n\n.. note:: words\n",
    ".. a::\n\n.. py:function:: b\n\nSee :py:func:`b`.\n",
]
PLAIN = [
    "",
    TITLE,
    f"{TITLE}Just words, with a list:\n\n* one\n",
    f"{TITLE}## Part\n\nSee [this](https://e.org), ``code`` and `name`_.\n\n```\nx\n```\n",
    "git-x(1)\n========\n\n[verse]\n'git x'\n\n-v::\n\n\tBe loud.\n",
    "See `fields`_.\n",
    "Models\n===\n\nUse ``save()``.\n",
    "std::vector::\n\nA line :with:`marks`.\n",
    "=====\n=====\n\n``x``\n",
    "above\nTitle\n=====\n\n``x``\n",
]


@pytest.mark.parametrize("text", RST, ids=range(len(RST)))
def test_directives_roles_links_and_literals_under_a_title_tell_it(text: str) -> None:
    assert looks_like_rst("page.txt", text.encode())
    assert looks_like_rst("README", text.encode())
    assert read(text, "page.txt").kind == "rst"


@pytest.mark.parametrize("text", PLAIN, ids=range(len(PLAIN)))
def test_plain_text_markdown_and_asciidoc_do_not_look_like_it(text: str) -> None:
    assert not looks_like_rst("page.txt", text.encode())


def test_other_endings_mean_what_they_say() -> None:
    for name in ("page.adoc", "page.log", "page.tex", "page.org"):
        assert not looks_like_rst(name, RST[0].encode())
    assert looks_like_rst("https://e.org/_sources/page.rst.txt?v=1", RST[0].encode())


def test_a_page_in_a_text_file_is_read_as_the_same_page_with_its_own_ending() -> None:
    text = f"{TITLE}Use ``save()``, see :doc:`fields`.\n\n.. note::\n\n   Be careful.\n"
    assert shape(read(text, "page.txt")) == shape(read(text, "page.rst"))
    assert shape(read(text, "page.txt"))[-1] == ("paragraph", "Be careful.")


@given(st.text(alphabet=":`._= \n=-a", max_size=400))
def test_any_text_is_judged(text: str) -> None:
    assert looks_like_rst("a.txt", text.encode()) in (True, False)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters=":`.>"), max_size=300))
def test_a_text_without_its_marks_never_looks_like_it(text: str) -> None:
    assert not looks_like_rst("a.txt", text.encode())
