"""Colours: CSS notation, changes of hue, lightness and saturation in HSL, and contrast."""

from __future__ import annotations

import re
from colorsys import hls_to_rgb, rgb_to_hls
from difflib import get_close_matches
from typing import NamedTuple

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
    """Read a colour: #rgb, #rrggbb, rgb(), hsl() or a name of CSS, with an alpha of 1 or without.

    Raises `InputRefused` for anything else, and for translucent colours, whose contrast and hue
    depend on the background.
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
    """Return the colour of #rgb, #rrggbb, or either followed by an alpha."""
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
    """Return a channel from 0 to 1 as eight bits; rounds halves up, with a small tolerance."""
    return int(round(share * 255, 6) + 0.5)


def _linear(channel: float) -> float:
    """Undo the gamma of sRGB for a channel from 0 to 1."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _translucent(text: str) -> InputRefused:
    return InputRefused(
        f"the colour {in_short(text)} is translucent: blend it with its background, and give the "
        "opaque colour that results"
    )


def _unreadable(text: str, hint: str) -> InputRefused:
    return InputRefused(
        f"{in_short(text)} is not a colour such as #f80, #ff8800, rgb(255, 136, 0), "
        f"hsl(32, 100%, 50%) or a name of CSS. {hint}".rstrip()
    )


_NAMES = """
    aliceblue f0f8ff  antiquewhite faebd7  aqua 00ffff  aquamarine 7fffd4  azure f0ffff
    beige f5f5dc  bisque ffe4c4  black 000000  blanchedalmond ffebcd  blue 0000ff  blueviolet 8a2be2
    brown a52a2a  burlywood deb887  cadetblue 5f9ea0  chartreuse 7fff00  chocolate d2691e
    coral ff7f50  cornflowerblue 6495ed  cornsilk fff8dc  crimson dc143c  cyan 00ffff
    darkblue 00008b  darkcyan 008b8b  darkgoldenrod b8860b  darkgray a9a9a9  darkgreen 006400
    darkgrey a9a9a9  darkkhaki bdb76b  darkmagenta 8b008b  darkolivegreen 556b2f  darkorange ff8c00
    darkorchid 9932cc  darkred 8b0000  darksalmon e9967a  darkseagreen 8fbc8f  darkslateblue 483d8b
    darkslategray 2f4f4f  darkslategrey 2f4f4f  darkturquoise 00ced1  darkviolet 9400d3
    deeppink ff1493  deepskyblue 00bfff  dimgray 696969  dimgrey 696969  dodgerblue 1e90ff
    firebrick b22222  floralwhite fffaf0  forestgreen 228b22  fuchsia ff00ff  gainsboro dcdcdc
    ghostwhite f8f8ff  gold ffd700  goldenrod daa520  gray 808080  green 008000  greenyellow adff2f
    grey 808080  honeydew f0fff0  hotpink ff69b4  indianred cd5c5c  indigo 4b0082  ivory fffff0
    khaki f0e68c  lavender e6e6fa  lavenderblush fff0f5  lawngreen 7cfc00  lemonchiffon fffacd
    lightblue add8e6  lightcoral f08080  lightcyan e0ffff  lightgoldenrodyellow fafad2
    lightgray d3d3d3  lightgreen 90ee90  lightgrey d3d3d3  lightpink ffb6c1  lightsalmon ffa07a
    lightseagreen 20b2aa  lightskyblue 87cefa  lightslategray 778899  lightslategrey 778899
    lightsteelblue b0c4de  lightyellow ffffe0  lime 00ff00  limegreen 32cd32  linen faf0e6
    magenta ff00ff  maroon 800000  mediumaquamarine 66cdaa  mediumblue 0000cd  mediumorchid ba55d3
    mediumpurple 9370db  mediumseagreen 3cb371  mediumslateblue 7b68ee  mediumspringgreen 00fa9a
    mediumturquoise 48d1cc  mediumvioletred c71585  midnightblue 191970  mintcream f5fffa
    mistyrose ffe4e1  moccasin ffe4b5  navajowhite ffdead  navy 000080  oldlace fdf5e6  olive 808000
    olivedrab 6b8e23  orange ffa500  orangered ff4500  orchid da70d6  palegoldenrod eee8aa
    palegreen 98fb98  paleturquoise afeeee  palevioletred db7093  papayawhip ffefd5
    peachpuff ffdab9  peru cd853f  pink ffc0cb  plum dda0dd  powderblue b0e0e6  purple 800080
    rebeccapurple 663399  red ff0000  rosybrown bc8f8f  royalblue 4169e1  saddlebrown 8b4513
    salmon fa8072  sandybrown f4a460  seagreen 2e8b57  seashell fff5ee  sienna a0522d  silver c0c0c0
    skyblue 87ceeb  slateblue 6a5acd  slategray 708090  slategrey 708090  snow fffafa
    springgreen 00ff7f  steelblue 4682b4  tan d2b48c  teal 008080  thistle d8bfd8  tomato ff6347
    turquoise 40e0d0  violet ee82ee  wheat f5deb3  white ffffff  whitesmoke f5f5f5  yellow ffff00
    yellowgreen 9acd32
"""
COLOR_NAMES = {name: f"#{digits}" for name, digits in re.findall(r"(\w+) (\w{6})", _NAMES)}
"""The 148 named colours of CSS Color Module Level 4."""
