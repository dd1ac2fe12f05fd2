"""Numbers that carry check digits: bank accounts, payment cards and books.

Each check returns None for a good number, and otherwise why it is none.
"""

from __future__ import annotations

import re

IBAN_LENGTHS = {
    **dict.fromkeys(("NO",), 15),
    **dict.fromkeys(("BE",), 16),
    **dict.fromkeys(("DK", "FI", "FK", "FO", "GL", "NL", "SD"), 18),
    **dict.fromkeys(("MK", "SI"), 19),
    **dict.fromkeys(("AT", "BA", "EE", "KZ", "LT", "LU", "MN", "XK"), 20),
    **dict.fromkeys(("CH", "HR", "LI", "LV"), 21),
    **dict.fromkeys(("BG", "BH", "CR", "DE", "GB", "GE", "IE", "ME", "RS", "VA"), 22),
    **dict.fromkeys(("AE", "GI", "IL", "IQ", "OM", "SO", "TL"), 23),
    **dict.fromkeys(("AD", "CZ", "ES", "MD", "PK", "RO", "SA", "SE", "SK", "TN", "VG"), 24),
    **dict.fromkeys(("LY", "PT", "ST"), 25),
    **dict.fromkeys(("IS", "TR"), 26),
    **dict.fromkeys(("BI", "DJ", "FR", "GR", "IT", "MC", "MR", "SM"), 27),
    **dict.fromkeys(("AL", "AZ", "BY", "CY", "DO", "GT", "HN", "HU", "LB", "NI", "PL", "SV"), 28),
    **dict.fromkeys(("BR", "EG", "PS", "QA", "UA"), 29),
    **dict.fromkeys(("JO", "KW", "MU", "YE"), 30),
    **dict.fromkeys(("MT", "SC"), 31),
    **dict.fromkeys(("LC",), 32),
    **dict.fromkeys(("RU",), 33),
}
"""Length by country, from SWIFT's IBAN registry."""

_IBAN = re.compile("[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_ISBN10 = re.compile("[0-9]{9}[0-9X]")
_ISBN13 = re.compile("97[89][0-9]{10}")
_CARD = re.compile("[0-9]{12,19}")
_LONGEST = 2 * 34
"""More than the longest IBAN has with a space behind every character."""


def iban_problem(text: str) -> str | None:
    """Check an IBAN of ISO 13616, written together or in groups."""
    number = _compact(text, " ")
    if not _IBAN.fullmatch(number):
        return "it is not two capital letters, two digits and 11 to 30 more letters and digits"
    length = IBAN_LENGTHS.get(number[:2])
    if length is None:
        return f"no country with IBANs has the code {number[:2]}"
    if len(number) != length:
        return f"an IBAN of {number[:2]} has {length} characters, not {len(number)}"
    digits = "".join(str(int(character, 36)) for character in number[4:] + number[:4])
    return None if int(digits) % 97 == 1 else "its check digits do not fit"


def credit_card_problem(text: str) -> str | None:
    """Check a payment card number by Luhn's formula, ISO/IEC 7812-1."""
    number = _compact(text, " -")
    if not _CARD.fullmatch(number):
        return "it is not 12 to 19 digits"
    digits = [int(digit) for digit in reversed(number)]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return None if (sum(digits[::2]) + sum(doubled)) % 10 == 0 else "its check digit does not fit"


def isbn10_problem(text: str) -> str | None:
    """Check a book number of ten digits; the last may be an X, which stands for ten."""
    number = _compact(text, " -")
    if not _ISBN10.fullmatch(number):
        return "it is not nine digits and one more digit or X"
    values = [10 if character == "X" else int(character) for character in number]
    weighted = sum(weight * value for weight, value in zip(range(10, 0, -1), values, strict=True))
    return None if weighted % 11 == 0 else "its check digit does not fit"


def isbn13_problem(text: str) -> str | None:
    """Check a book number of thirteen digits, ISO 2108."""
    number = _compact(text, " -")
    if not _ISBN13.fullmatch(number):
        return "it is not 978 or 979 and ten more digits"
    weighted = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(number))
    return None if weighted % 10 == 0 else "its check digit does not fit"


def _compact(text: str, separators: str) -> str:
    """Return a number without single separators between its groups; nothing where more follow."""
    if len(text) > _LONGEST:
        return ""
    groups = re.split(f"[{re.escape(separators)}]", text)
    return "".join(groups) if all(groups) else ""
