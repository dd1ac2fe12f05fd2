"""Text as a person sees it: what only a machine can read in it is taken out and counted."""

# No `from __future__ import annotations` here: see prompt.py.
import re
from functools import cache
from typing import NamedTuple


class VisibleText(NamedTuple):
    """Text without hidden characters, and how many there were."""

    text: str
    hidden: int


# Controls other than tab and line ends; everything Unicode lists as default-ignorable; the marks of
# interlinear notes; the Braille blank. None of them leaves ink on the page.
_HIDDEN = (
    "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5"
    "\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff"
    "\\uffa0\\ufff0-\\ufffb\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff"
)
_HIDDEN_ASCII = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]")
_HIDDEN_ANY = re.compile(f"[{_HIDDEN}]")

_EMOJI = (
    "\\u00a9\\u00ae\\u203c\\u2049\\u2122\\u2139\\u2194-\\u2199\\u21a9\\u21aa\\u231a\\u231b\\u2328"
    "\\u2388\\u23cf\\u23e9-\\u23f3\\u23f8-\\u23fa\\u24c2\\u25aa\\u25ab\\u25b6\\u25c0\\u25fb-\\u25fe"
    "\\u2600-\\u27bf\\u2934\\u2935\\u2b05-\\u2b07\\u2b1b\\u2b1c\\u2b50\\u2b55\\u3030\\u303d\\u3297"
    "\\u3299\\U0001f000-\\U0001faff"
)
_IDEOGRAPH = "\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\U00020000-\\U0003fffd"
_PUNCTUATION = (
    "\\u2018\\u2019\\u201c\\u201d\\u3001\\u3002\\uff01\\uff0c\\uff0e\\uff1a\\uff1b\\uff1f"
)
_MONGOLIAN = "\\u1820-\\u18aa"
# Scripts whose letters join: Arabic, Syriac, N'Ko, Mandaic, Mongolian, Phags-pa, Adlam and others.
_JOINING = (
    "\\u0610-\\u061a\\u0620-\\u08ff\\u1807\\u180a\\u1820-\\u18aa\\ua840-\\ua877\\ufb50-\\ufdff"
    "\\ufe70-\\ufefc\\U00010a80-\\U00010f6f\\U0001e900-\\U0001e95f"
)
# Scripts that build conjuncts, from Devanagari to Sinhala, Tibetan, Burmese, Khmer, and further.
_CONJUNCT = (
    "\\u0900-\\u0dff\\u0f00-\\u109f\\u1700-\\u17b3\\u17b6-\\u17ff\\u1900-\\u1cff\\ua800-\\ua82f"
    "\\ua880-\\uaaff\\uabc0-\\uabff\\U00011000-\\U00011fff"
)
_VIRAMA = (
    "\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u0f84"
    "\\u1039\\u103a\\u17d2\\u1b44\\u1baa\\u1bab\\ua806\\ua8c4\\ua953\\ua9c0\\uabed\\U00011046"
    "\\U000110b9\\U00011133\\U000111c0\\U00011235\\U0001134d\\U00011442\\U000114c2\\U000115bf"
)
_RIGHT_TO_LEFT = (
    "\\u0590-\\u061b\\u061d-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\U00010800-\\U00010fff"
    "\\U0001e800-\\U0001efff"
)
_FLAGS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_NOT_A_WORD = f"[^\\w{_HIDDEN}]"
_MARK = "[\\u200e\\u200f\\u061c]"

# Each pattern matches hidden characters only, and looks only at visible ones around them: so what
# is kept once is kept again, and what is taken out leaves nothing behind that changes its meaning.
# The character stands before what must stand before it, which lets the engine skip quickly.
_LEGAL = (
    f"[\\ufe0e\\ufe0f](?<=[{_EMOJI}].)(?:\\u200d(?=[{_EMOJI}]))?",
    f"\\u200d(?<=[{_EMOJI}].)(?=[{_EMOJI}])",
    f"(?:{_FLAGS})(?<=\\U0001f3f4.{{6}})",
    "\\ufe0f(?<=[0-9#*].)(?=\\u20e3)",
    f"[\\ufe00-\\ufe02\\U000e0100-\\U000e01ef](?<=[{_IDEOGRAPH}].)",
    "\\ufe00(?<=[\\u2200-\\u22ff\\u2a00-\\u2aff\\u1000-\\u109f\\ua840-\\ua877].)",
    f"[\\ufe00\\ufe01](?<=[{_PUNCTUATION}].)",
    f"[\\u180b-\\u180f](?<=[{_MONGOLIAN}].)\\u180e?",
    f"[\\u200c\\u200d](?<=[{_VIRAMA}].)",
    f"[\\u200c\\u200d](?<=[{_CONJUNCT}].)(?=[{_CONJUNCT}])",
    f"\\u200c(?<=[{_JOINING}].)(?=[{_JOINING}])",
    f"\\u200d(?<=[{_JOINING}].)",
    "\\u2800(?<=[\\u2801-\\u28ff].)(?=[\\u2801-\\u28ff])",
    f"{_MARK}(?<=[{_RIGHT_TO_LEFT}].)",
    f"{_MARK}(?<=[{_RIGHT_TO_LEFT}]{_NOT_A_WORD}.)",
    f"{_MARK}(?=(?:{_NOT_A_WORD}){{0,2}}[{_RIGHT_TO_LEFT}])",
)


def visible_text(text: str) -> VisibleText:
    """Return `text` without what a person cannot see and a model can, and count what was there.

    Tag characters, variation selectors, joiners, soft hyphens, fillers, direction overrides and
    controls carry whole sentences past a reader. They stay where a script needs them: joiners in
    emoji, Indic and Arabic words, selectors on emoji and ideographs, the tags of a flag, direction
    marks beside Hebrew or Arabic. Clean text comes back as the same object.
    """
    first = _HIDDEN_ASCII if text.isascii() else _HIDDEN_ANY
    if first.search(text) is None:
        return VisibleText(text, 0)
    seen = "".join(filter(None, _hidden().split(text)))  # twice as quick as a substitution
    return VisibleText(seen, len(text) - len(seen))


@cache
def _hidden() -> re.Pattern[str]:
    """What is hidden, with what may stay of it as the first group."""
    return re.compile(f"({'|'.join(_LEGAL)})|[{_HIDDEN}]+", re.DOTALL)
