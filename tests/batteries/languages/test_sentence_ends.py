"""Where sentences end in texts with other line ends than LF."""

from __future__ import annotations

import pytest

from tether.batteries.languages.texts.sentences import sentences_of


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_one_line_end_ends_no_sentence_and_two_do(line_end: str) -> None:
    wrapped = f"The port{line_end}of the harbour is 9."
    assert sentences_of(wrapped) == [wrapped]
    assert sentences_of(f"One{line_end}{line_end}two") == [f"One{line_end}{line_end}", "two"]
    assert sentences_of(f"One{line_end} {line_end}two") == [f"One{line_end} {line_end}", "two"]
