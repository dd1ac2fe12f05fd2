"""Docstrings: what they say about a function, and about each parameter.

The three manners are those of the Google Python style guide (section 3.8), of the numpydoc manual,
and of Sphinx's field lists.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from inspect import cleandoc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.runtime.docstrings import read_docstring

GOOGLE = """Fetch rows.

    Retrieves rows pertaining to the given keys.

    Args:
        table: An open table.
        keys (Sequence[str]): Which rows: each key
            names one row.

            A blank line does not end it.
        limit (tuple(int, int), optional): The first and the last.
        *rest: More keys.
        **options: Anything else.

    Returns:
        A dictionary of rows.

    Raises:
        OSError: it could not be read.
    """

NUMPY = """Fetch rows.

    Parameters
    ----------
    table : Table
        An open table.
    keys : Sequence[str], optional
        Which rows: each key
        names one row.
    limit
        How many.
    *rest
    **options : Any
        Anything else.

    Returns
    -------
    dict
        A dictionary of rows.
    """

SPHINX = """Fetch rows.

    :param table: An open table.
    :param Sequence[str] keys: Which rows: each key
        names one row.
    :type limit: int
    :param limit: How many.
    :param **options: Anything else.
    :returns: A dictionary of rows.
    """


def test_the_google_manner() -> None:
    said = read_docstring(cleandoc(GOOGLE))
    assert said.summary == cleandoc(
        """Fetch rows.

        Retrieves rows pertaining to the given keys.

        Returns:
            A dictionary of rows.

        Raises:
            OSError: it could not be read."""
    )
    assert said.parameters == {
        "table": "An open table.",
        "keys": "Which rows: each key names one row. A blank line does not end it.",
        "limit": "The first and the last.",
        "rest": "More keys.",
        "options": "Anything else.",
    }


def test_the_numpy_manner() -> None:
    said = read_docstring(cleandoc(NUMPY))
    expected = """Fetch rows.

        Returns
        -------
        dict
            A dictionary of rows."""
    assert said.summary == cleandoc(expected)
    assert said.parameters == {
        "table": "An open table.",
        "keys": "Which rows: each key names one row.",
        "limit": "How many.",
        "rest": "",
        "options": "Anything else.",
    }


def test_the_sphinx_manner() -> None:
    said = read_docstring(cleandoc(SPHINX))
    assert said.summary == "Fetch rows.\n\n:type limit: int\n:returns: A dictionary of rows."
    assert said.parameters == {
        "table": "An open table.",
        "keys": "Which rows: each key names one row.",
        "limit": "How many.",
        "options": "Anything else.",
    }


@pytest.mark.parametrize("heading", ["Args:", "Arguments:", "Parameters:"])
def test_the_list_may_have_one_of_three_headings_and_stand_anywhere(heading: str) -> None:
    said = read_docstring(f"{heading}\n    a: One.\nAnd so on.")
    assert said == ("And so on.", {"a": "One."})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Just words.",
        "Words: and more words.\n\nExample:\n    a: One.",
        "Parameters\n\nare what it takes.",
        "Parameters",
        "    Args: are indented here.",
    ],
)
def test_any_other_text_is_all_summary(text: str) -> None:
    assert read_docstring(text) == (text.strip(), {})


def test_words_before_the_first_entry_belong_to_none() -> None:
    assert read_docstring("Args:\n    As usual.\n    a: One.") == ("", {"a": "One."})
    assert read_docstring("Args:") == ("", {})


def google(parameters: dict[str, str]) -> str:
    entries = [f"    {name} (int): {text}" for name, text in parameters.items()]
    return "\n".join(["Args:", *(_wrapped(entry, "        ") for entry in entries)])


def numpy(parameters: dict[str, str]) -> str:
    entries = [f"{name} : int\n" + _wrapped(f"    {t}", "    ") for name, t in parameters.items()]
    return "\n".join(["Parameters", "----------", *entries])


def sphinx(parameters: dict[str, str]) -> str:
    entries = [f":param int {name}: {text}" for name, text in parameters.items()]
    return "\n".join(_wrapped(entry, "    ") for entry in entries)


def _wrapped(entry: str, indentation: str) -> str:
    """Break a text as an editor would."""
    return textwrap.fill(
        entry,
        width=40,
        subsequent_indent=indentation,
        break_long_words=False,
        break_on_hyphens=False,
    )


names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
words = st.from_regex(r"[A-Za-z0-9é(),.:;'\"-]{1,12}", fullmatch=True)
texts = st.lists(words, min_size=1, max_size=12).map(" ".join)


@given(
    st.dictionaries(names, texts, min_size=1, max_size=4),
    st.sampled_from([google, numpy, sphinx]),
)
def test_what_is_written_about_the_parameters_is_read_back(
    parameters: dict[str, str], written: Callable[[dict[str, str]], str]
) -> None:
    before, after = "What it does.", "Notes\n-----\nMore about it."
    said = read_docstring(f"{before}\n\n{written(parameters)}\n\n{after}")
    assert said.parameters == parameters
    assert said.summary == f"{before}\n\n{after}"


def test_numpy_may_describe_several_parameters_at_once() -> None:
    text = """Do it.

    Parameters
    ----------
    a, *b : int
        Both.
    c
        Alone.
    """
    read = read_docstring(cleandoc(text)).parameters
    assert read == {"a": "Both.", "b": "Both.", "c": "Alone."}
