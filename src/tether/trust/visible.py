"""Text as a person sees it: characters that only a machine can read are removed and counted."""

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
_LINE_ENDS = re.compile("[\\x0b\\x0c\\x85]")
"""Ends of a page or a line: a person sees a new line, and so does the model."""
_HIDDEN_ANY = re.compile(f"[{_HIDDEN}]")

_EMOJI = (
    "\\u00a9\\u00ae\\u203c\\u2049\\u2122\\u2139\\u2194-\\u2199\\u21a9\\u21aa\\u231a\\u231b\\u2328"
    "\\u2388\\u23cf\\u23e9-\\u23f3\\u23f8-\\u23fa\\u24c2\\u25aa\\u25ab\\u25b6\\u25c0\\u25fb-\\u25fe"
    "\\u2600-\\u27bf\\u2934\\u2935\\u2b05-\\u2b07\\u2b1b\\u2b1c\\u2b50\\u2b55\\u3030\\u303d\\u3297"
    "\\u3299\\U0001f000-\\U0001faff"
)
_IDEOGRAPH = "\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\U00020000-\\U0003fffd"
# Registered sequences use the first few selectors; the other two hundred only carry bytes.
_IDEOGRAPHIC_SELECTOR = "\\ufe00-\\ufe02\\U000e0100-\\U000e011f"
_MOST_SELECTED = 8
"""At most one ideograph in this many has a selector: names do, whole texts do not."""
_ANY_IDEOGRAPH = re.compile(f"[{_IDEOGRAPH}]")
_SELECTED = re.compile(f"[{_IDEOGRAPHIC_SELECTOR}](?<=[{_IDEOGRAPH}].)")
_PUNCTUATION = (
    "\\u2018\\u2019\\u201c\\u201d\\u3001\\u3002\\uff01\\uff0c\\uff0e\\uff1a\\uff1b\\uff1f"
)
# Script capitals have a chancery and a roundhand form.
_SCRIPT_LETTERS = "\\u210b\\u2110\\u2112\\u211b\\u212c\\u2130\\u2131\\u2133\\U0001d49c-\\U0001d4b5"
_HEBREW = "\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u05d0-\\u05ea"
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

# Each pattern matches hidden characters only, and looks only at visible ones around them: so a
# second pass changes nothing. The pattern of the character precedes its look-behind, which lets the
# engine skip quickly.
_LEGAL = (
    f"[\\ufe0e\\ufe0f](?<=[{_EMOJI}].)(?:\\u200d(?=[{_EMOJI}]))?",
    f"\\u200d(?<=[{_EMOJI}].)(?=[{_EMOJI}])",
    f"(?:{_FLAGS})(?<=\\U0001f3f4.{{6}})",
    "\\ufe0f(?<=[0-9#*].)(?=\\u20e3)",
    "\\ufe00(?<=[\\u2200-\\u22ff\\u2a00-\\u2aff\\u1000-\\u109f\\ua840-\\ua877].)",
    f"[\\ufe00\\ufe01](?<=[{_PUNCTUATION}{_SCRIPT_LETTERS}].)",
    "\\ufe00(?<=0.)",
    f"\\u034f(?<=[{_HEBREW}].)(?=[{_HEBREW}])",
    "\\u1160(?<=[\\u1100-\\u115e\\ua960-\\ua97c].)",
    "\\u115f(?=[\\u1161-\\u11a7\\ud7b0-\\ud7c6])",
    f"[\\u180b-\\u180f](?<=[{_MONGOLIAN}].)\\u180e?",
    f"[\\u200c\\u200d](?<=[{_VIRAMA}].)",
    f"[\\u200c\\u200d](?<=[{_CONJUNCT}].)(?=[{_CONJUNCT}])",
    f"\\u200c(?<=[{_JOINING}].)(?=[{_JOINING}])",
    f"\\u200d(?<=[{_JOINING}].)",
    "\\u2800(?<=[\\u2801-\\u28ff].)\\u2800{0,7}(?=[\\u2801-\\u28ff])",
    f"{_MARK}(?<=[{_RIGHT_TO_LEFT}].)",
    f"{_MARK}(?<=[{_RIGHT_TO_LEFT}]{_NOT_A_WORD}.)",
    f"{_MARK}(?=(?:{_NOT_A_WORD}){{0,2}}[{_RIGHT_TO_LEFT}])",
)


def visible_text(text: str) -> VisibleText:
    """Return `text` without characters that a model sees and a person does not, and count them.

    Tag characters, variation selectors, joiners, soft hyphens, fillers, direction overrides and
    controls carry whole sentences past a reader. They stay if a script needs them: joiners in
    emoji, Indic and Arabic words, selectors on emoji and on a few ideographs, the tags of a flag,
    direction marks beside Hebrew or Arabic. Form feeds and other ends of lines become a plain one,
    and are not counted. Clean text comes back as the same object.
    """
    first = _HIDDEN_ASCII if text.isascii() else _HIDDEN_ANY
    if first.search(text) is None:
        return VisibleText(text, 0)
    lines = _LINE_ENDS.sub("\n", text)
    pattern = _hidden(_has_names(lines))
    seen = "".join(filter(None, pattern.split(lines)))  # twice as quick as a substitution
    return VisibleText(seen, len(text) - len(seen))


def _has_names(text: str) -> bool:
    """Return whether few enough ideographs have a selector: it is for their shape, as in names.

    One on every ideograph is a way to carry bytes past a reader.
    """
    selected = len(_SELECTED.findall(text))
    return selected > 0 and selected * _MOST_SELECTED < len(_ANY_IDEOGRAPH.findall(text))


@cache
def _hidden(with_ideographs: bool) -> re.Pattern[str]:
    """Return a pattern for hidden characters; its first group matches those that may stay."""
    legal = (*_LEGAL, _SELECTED.pattern) if with_ideographs else _LEGAL
    return re.compile(f"({'|'.join(legal)})|[{_HIDDEN}]+", re.DOTALL)
