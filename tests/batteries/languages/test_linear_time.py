"""The text tools get through long texts made against them: what their own patterns cost.

A step that takes quadratic time would look at ten thousand million characters here, and run into
the time-out of the test (case 52, for the expressions that are ours).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import get_args

import pytest

from tether.batteries.languages.records.tables import TextTable, delimited_table, markdown_table
from tether.batteries.languages.texts.encodings import (
    BYTE_TEXTS,
    ESCAPINGS,
    decode_text_bytes,
    normal_form,
)
from tether.batteries.languages.texts.formats import FormatName, format_problem
from tether.batteries.languages.texts.word_cases import STYLES
from tether.batteries.tools.comparison import TextOrder
from tether.batteries.tools.text_analysis import lines_of
from tether.core.errors import InputRefused
from tether.text.sentences import sentences_of
from tether.text.words import words_in

pytestmark = pytest.mark.unmeasured

LENGTH = 100_000
UNITS = [
    *"aA0-. \n&%\\:@.,\u0301\u3002",
    *(
        "a-",
        "a.",
        "0.",
        " \n",
        "Aa",
        "AS",
        "a1",
        "&#",
        "&#x",
        "%4",
        "a:",
        "1e",
        "://",
        ".)",
        "\n\r",
    ),
    *("a\u0301", "0:", "-1", "..", "1-1 ", "Dr. ", "\\\\", "a@", "[a"),
]
TEXTS = [f"{unit * (LENGTH // len(unit))}!" for unit in UNITS] + [f"a://{'a.' * LENGTH}!"]

USES: dict[str, Callable[[str], object]] = {
    **{f"format {name}": partial(format_problem, format=name) for name in get_args(FormatName)},
    **{f"style {name}": STYLES[name] for name in ("camel_case", "sentence_case", "slug")},
    **{f"escape {name}": escaping.escape for name, escaping in ESCAPINGS.items()},
    **{f"unescape {name}": escaping.unescape for name, escaping in ESCAPINGS.items()},
    **{f"decode {name}": partial(decode_text_bytes, encoding=name) for name in BYTE_TEXTS},
    "words": words_in,
    "sentences": sentences_of,
    "lines": lines_of,
    "NFC": partial(normal_form, "NFC"),
    "NFKD": partial(normal_form, "NFKD"),
    "natural order": TextOrder(natural=True, ignore_case=True).key,
    "markdown": lambda text: markdown_table(TextTable([text], [[text]])),
    "csv": lambda text: delimited_table(TextTable([text], [[text]]), ","),
}


@pytest.mark.parametrize("name", USES)
def test_a_long_text_takes_no_longer_than_its_length(name: str) -> None:
    use = USES[name]
    for text in TEXTS:
        with suppress(InputRefused):
            use(text)
