"""Colours: contrast, schemes, and changes of lightness and saturation."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, FiniteFloat

from tether.batteries.languages.texts.colors import Color, contrast_ratio, parse_color
from tether.batteries.tools.ready_made import ready_made

ColorText = Annotated[str, Field(max_length=100)]
Scheme = Literal[
    "complementary",
    "analogous",
    "triadic",
    "split_complementary",
    "tetradic",
    "monochromatic",
]

ANGLES: dict[str, tuple[int, ...]] = {
    "complementary": (180,),
    "analogous": (-30, 30),
    "triadic": (120, 240),
    "split_complementary": (150, 210),
    "tetradic": (90, 180, 270),
}
"""The hues of a scheme, in degrees from the hue of its colour."""

LIGHTNESSES = (10, 30, 50, 70, 90)
"""The colours of a monochromatic scheme, in percent."""


@ready_made(example={"foreground": "#767676", "background": "white"})
def color_contrast(foreground: ColorText, background: ColorText) -> dict[str, Any]:
    """Measure the contrast between two opaque colours, and check it against WCAG 2.2.

    The ratio goes from 1 to 21. AA requires 4.5 (3 for large text and for controls and graphics),
    AAA 7 (4.5 for large text). Large is at least 24 px, or 18.66 px in bold. The levels are
    judged before the ratio is rounded.

    Args:
        foreground: The colour of the text: #rgb, #rrggbb, rgb(), hsl() or a CSS name.
        background: The colour of the background, in the same notation.
    """
    front, back = parse_color(foreground), parse_color(background)
    ratio = contrast_ratio(front, back)
    return {
        "ratio": round(ratio, 3),
        "foreground": front.hex,
        "background": back.hex,
        "passes": {
            "aa_text": ratio >= 4.5,
            "aa_large_text": ratio >= 3,
            "aaa_text": ratio >= 7,
            "aaa_large_text": ratio >= 4.5,
            "aa_controls_and_graphics": ratio >= 3,
        },
    }


@ready_made(example={"color": "teal", "scheme": "triadic"})
def color_scheme(color: ColorText, scheme: Scheme) -> dict[str, Any]:
    """Find colours that go with a colour; return them as #rrggbb, the colour itself first.

    The others have the same saturation and lightness and a hue turned by 180 degrees
    (complementary), 30 to both sides (analogous), 120 and 240 (triadic), 150 and 210
    (split_complementary), or 90, 180 and 270 (tetradic). monochromatic keeps the hue and goes from
    dark to light in five steps.

    Args:
        color: The colour to start from: #rgb, #rrggbb, rgb(), hsl() or a CSS name.
        scheme: The kind of scheme.
    """
    base = parse_color(color)
    if scheme == "monochromatic":
        others = [base.hsl._replace(lightness=lightness) for lightness in LIGHTNESSES]
    else:
        others = [base.hsl.turned(angle) for angle in ANGLES[scheme]]
    return {"colors": [base.hex, *(other.color.hex for other in others)], "hsl": _hsl(base)}


@ready_made(example={"color": "#336699", "amount": 20})
def color_adjust(
    color: ColorText,
    amount: Annotated[FiniteFloat, Field(ge=-100, le=100)],
    channel: Literal["lightness", "saturation"] = "lightness",
) -> dict[str, Any]:
    """Make a colour lighter or darker, or more or less saturated, by points of its HSL value.

    20 points on a lightness of 30 % give 50 %; the result stays within 0 and 100 %. Returns the new
    colour as #rrggbb and in HSL.

    Args:
        color: The colour to change: #rgb, #rrggbb, rgb(), hsl() or a CSS name.
        amount: The points to add; below zero it gets darker or greyer.
        channel: The value to change.
    """
    before = parse_color(color)
    changes = {"lightness": before.hsl.lightened, "saturation": before.hsl.saturated}
    after = changes[channel](amount).color
    return {"color": after.hex, "hsl": _hsl(after), "before": before.hex}


def _hsl(color: Color) -> str:
    hue, saturation, lightness = color.hsl
    return f"hsl({hue:.1f}, {saturation:.1f}%, {lightness:.1f}%)"
