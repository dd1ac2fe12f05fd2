"""The escapes of roff as text: characters by name, and fonts, sizes and motions as nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

_NAME = r"(?:\[(?P<{0}_long>[^\]\n]{{0,100}}+)\]|\((?P<{0}_two>..)|(?P<{0}_one>.))"
ESCAPE = re.compile(
    r"\\(?:"
    r"[\"#].*"
    r"|[fFgkmMVYnR*][+-]?(?:\[[^\]\n]{0,100}+\]|\(..|.)"
    r"|s(?:\[[^\]\n]{0,100}+\]|\([+-]?..|[+-]?\(..|'[^'\n]*+'|[+-]?\d|)"
    r"|(?P<drawn>[hvlLDXHSxBAwbZo])(?P<quote>['\"\x07!|/^])(?P<inside>[^\n]{0,200}?)(?P=quote)"
    r"|[NC]'(?P<code>[^'\n]*+)'"
    r"|\[(?P<long>[^\]\n]{0,100}+)\]|\((?P<two>..)"
    r"|(?P<one>.)|$)"
)
STRING = re.compile(r"\\\*" + _NAME.format("string"))
REGISTER = re.compile(r"\\n[+-]?" + _NAME.format("register"))
MOST_EXPANDED = 20_000
_ROUNDS = 4

_ONE: Mapping[str, str] = MappingProxyType(
    {"e": "\\", "\\": "\\", "~": " ", "0": " ", "t": "\t", "a": "\t"}
    | {character: character for character in " -.'`_\"@<>[]()*?!=+;$"}
)
_WORDS = r"""
em — en – hy - mi - pl + mu × di ÷ eq = bu • co © rg ® tm ™ lq “ rq ” oq ‘ cq ’ aq ' dq " ga `
ha ^ ti ~ rs \ sl / at @ sh # Do $ ct ¢ Po £ Ye ¥ Eu € eu € ul _ ru _ rn ‾ br │ bv │ or | ba |
bb ¦ lB [ rB ] lC { rC } la ⟨ ra ⟩ Fo « Fc » fo ‹ fc › Bq „ bq ‚ de ° sc § dg † dd ‡ ps ¶ +- ±
<= ≤ >= ≥ != ≠ == ≡ ~~ ≈ ~= ≅ -> → <- ← <> ↔ ua ↑ da ↓ => ⇒ if ∞ sr √ no ¬ 12 ½ 14 ¼ 34 ¾ ss ß
ae æ AE Æ oe œ OE Œ /o ø /O Ø o/ ø O/ Ø aa ´ a^ ^ a~ ~ ad ¨ OK ✓ lh ☜ rh ☞ sq □ ci ○ fm ′ sd ″
fi fi fl fl ff ff Fi ffi Fl ffl mc µ
"""  # noqa: RUF001
_NAMED: Mapping[str, str] = MappingProxyType(
    dict(zip(_WORDS.split()[::2], _WORDS.split()[1::2], strict=True))
)
_ACCENTS = MappingProxyType(
    {"'": "\u0301", "`": "\u0300", "^": "\u0302", ":": "\u0308", "~": "\u0303", ",": "\u0327"}
    | {"v": "\u030c", "o": "\u030a"}
)
_GREEK = MappingProxyType(
    dict(zip("abgdezyhiklmncoprstufxqw", "αβγδεζηθικλμνξοπρστυφχψω", strict=True))
)
_UNICODE = re.compile(r"u([0-9A-F]{4,6})(?:_[0-9A-F]{4,6})*")


def without_escapes(text: str) -> str:
    """Return a line as it is shown, without fonts; an unknown character is left out."""
    return ESCAPE.sub(_shown, text) if "\\" in text else text


def expanded(text: str, strings: Mapping[str, str]) -> str:
    """Return a line with the strings that it names, as far as it stays short."""
    for _ in range(_ROUNDS):
        if "\\*" not in text or len(text) > MOST_EXPANDED:
            break
        text = STRING.sub(lambda found: strings.get(name_in(found, "string"), ""), text)
    return text[:MOST_EXPANDED]


def name_in(found: re.Match[str], group: str) -> str:
    """Return the name of a string or a register, in any of its three forms."""
    parts = found[f"{group}_long"], found[f"{group}_two"], found[f"{group}_one"]
    return next((part for part in parts if part is not None), "")


def _shown(found: re.Match[str]) -> str:
    if found["one"] is not None:
        return _ONE.get(found["one"], "")
    if found["drawn"] is not None:
        return without_escapes(found["inside"]) if found["drawn"] in "bZo" else ""
    if found["code"] is not None:
        return _by_code(found["code"])
    name = found["long"] if found["long"] is not None else found["two"]
    return "" if name is None else character_named(name)


def character_named(name: str) -> str:
    """Return the character of a name such as `em` or `u2014`; "" for an unknown one."""
    if name in _NAMED:
        return _NAMED[name]
    if found := _UNICODE.match(name):
        return _by_code(str(int(found[1], 16)))
    if len(name) == 2 and name[0] == "*" and name[1].lower() in _GREEK:
        letter = _GREEK[name[1].lower()]
        return letter.upper() if name[1].isupper() else letter
    if len(name) == 2 and name[0] in _ACCENTS and name[1].isalpha():
        return unicodedata.normalize("NFC", name[1] + _ACCENTS[name[0]])
    return ""


def _by_code(number: str) -> str:
    """Return the character with a decimal number, or with a name; "" for one that is not shown."""
    if not (number.isascii() and number.isdecimal() and len(number) < 8):
        return character_named(number) if len(number) < 8 and number != "" else ""
    code = int(number)
    character = chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
    return character if character.isprintable() else ""
