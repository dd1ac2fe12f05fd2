"""Colours: read as CSS writes them, turned and lightened in HSL, and compared for contrast."""

from __future__ import annotations

import re
from colorsys import hls_to_rgb, rgb_to_hls
from difflib import get_close_matches
from typing import NamedTuple

from tether.batteries.languages.texts.color_names import COLOR_NAMES
from tether.core.checks import in_short
from tether.core.errors import InputRefused

_HEX = re.compile("#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_FUNCTION = re.compile(r"(rgb|hsl)a?\(\s*([^()]*?)\s*\)")
_COMMA = re.compile(r"\s*,\s*")
_NUMBER = re.compile(r"([+-]?(?:[0-9]{1,6}(?:\.[0-9]{1,12})?|\.[0-9]{1,12}))(%|deg)?")


class Hsl(NamedTuple):
    """A colour by its hue in degrees, and its saturation and lightness in percent."""

    hue: float
    saturation: float
    lightness: float

    @property
    def color(self) -> Color:
        """The nearest colour of eight bits a channel."""
        channels = hls_to_rgb(self.hue % 360 / 360, self.lightness / 100, self.saturation / 100)
        return Color(*map(_byte, channels))

    def turned(self, degrees: float) -> Hsl:
        """Return the colour with its hue turned around the circle."""
        return self._replace(hue=(self.hue + degrees) % 360)

    def lightened(self, points: float) -> Hsl:
        """Return the colour with lightness added or taken away, within 0 and 100."""
        return self._replace(lightness=min(max(self.lightness + points, 0), 100))

    def saturated(self, points: float) -> Hsl:
        """Return the colour with saturation added or taken away, within 0 and 100."""
        return self._replace(saturation=min(max(self.saturation + points, 0), 100))


class Color(NamedTuple):
    """An opaque colour of sRGB, eight bits a channel."""

    red: int
    green: int
    blue: int

    @property
    def hex(self) -> str:
        """The colour as #rrggbb."""
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"

    @property
    def hsl(self) -> Hsl:
        """The colour by hue, saturation and lightness."""
        hue, lightness, saturation = rgb_to_hls(*(channel / 255 for channel in self))
        return Hsl(hue * 360, saturation * 100, lightness * 100)

    @property
    def luminance(self) -> float:
        """The relative luminance of WCAG 2.2, from 0 for black to 1 for white."""
        red, green, blue = (_linear(channel / 255) for channel in self)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast_ratio(one: Color, other: Color) -> float:
    """Return the contrast ratio of WCAG 2.2, from 1 to 21."""
    darker, lighter = sorted((one.luminance, other.luminance))
    return (lighter + 0.05) / (darker + 0.05)


def parse_color(text: str) -> Color:
    """Read a colour: #rgb, #rrggbb, rgb(), hsl() or a name of CSS, each with an alpha of 1 or none.

    Raises `InputRefused` for anything else, and for colours that let others shine through: they
    have no contrast and no hue of their own.
    """
    written = text.strip().lower()
    if written in COLOR_NAMES:
        written = COLOR_NAMES[written]
    if _HEX.fullmatch(written):
        return _from_digits(written[1:], text)
    if written == "transparent":
        raise _translucent(text)
    if parts := _FUNCTION.fullmatch(written):
        values, alpha = _arguments(parts[2])
        color = _from_function(parts[1], values, text)
        _refuse_translucent(alpha, text)
        return color
    close = get_close_matches(written, COLOR_NAMES, n=3)
    raise _unreadable(text, f"Did you mean {' or '.join(close)}?" if close else "")


def _from_digits(digits: str, text: str) -> Color:
    """Return the colour of #rgb, #rrggbb, or either with an alpha behind it."""
    if len(digits) < 6:
        digits = "".join(2 * digit for digit in digits)
    red, green, blue, *alpha = bytes.fromhex(digits)
    if alpha and alpha[0] < 255:
        raise _translucent(text)
    return Color(red, green, blue)


def _arguments(inside: str) -> tuple[list[str], str]:
    """Split the arguments of a function: "1, 2, 3, 1" or "1 2 3 / 1"; the alpha is 1 if missing."""
    if "," in inside:
        values = _COMMA.split(inside)
        return (values[:3], values[3]) if len(values) == 4 else (values, "1")
    channels, slash, alpha = inside.partition("/")
    return channels.split(), alpha.strip() if slash else "1"


def _refuse_translucent(alpha: str, text: str) -> None:
    found = _NUMBER.fullmatch(alpha)
    if found is None or found[2] == "deg":
        raise _unreadable(text, "The alpha is a number from 0 to 1, or a percentage.")
    if float(found[1]) < (100 if found[2] else 1):
        raise _translucent(text)


def _from_function(function: str, values: list[str], text: str) -> Color:
    """Return the colour of rgb() or hsl() with these arguments."""
    found = [match for value in values if (match := _NUMBER.fullmatch(value))]
    if len(found) != len(values) or len(values) != 3:
        raise _unreadable(text, f"{function}() takes three numbers.")
    numbers = [float(match[1]) for match in found]
    units = [match[2] for match in found]
    if function == "hsl":
        limits, is_allowed = [360.0, 100.0, 100.0], units[0] != "%" and "deg" not in units[1:]
        numbers[0] %= 360
    else:
        limits, is_allowed = [100.0 if unit else 255.0 for unit in units], "deg" not in units
    if not is_allowed or not all(0 <= n <= most for n, most in zip(numbers, limits, strict=True)):
        raise _unreadable(
            text, "Channels of rgb() go to 255 or 100%; hsl() takes degrees and two percentages."
        )
    if function == "hsl":
        return Hsl(*numbers).color
    return Color(*(_byte(n / most) for n, most in zip(numbers, limits, strict=True)))


def _byte(share: float) -> int:
    """Return a channel from 0 to 1 as eight bits; a half that is a hair short of it goes up too."""
    return int(round(share * 255, 6) + 0.5)


def _linear(channel: float) -> float:
    """Take the gamma of sRGB off a channel from 0 to 1."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _translucent(text: str) -> InputRefused:
    return InputRefused(
        f"the colour {in_short(text)} is translucent: blend it with what lies behind it, and give "
        "the opaque colour that comes out"
    )


def _unreadable(text: str, hint: str) -> InputRefused:
    return InputRefused(
        f"{in_short(text)} is no colour such as #f80, #ff8800, rgb(255, 136, 0), "
        f"hsl(32, 100%, 50%) or a name of CSS. {hint}".rstrip()
    )
