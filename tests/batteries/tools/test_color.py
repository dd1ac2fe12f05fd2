"""The tools of the category color."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.tools import refusal_text
from tether.batteries.languages.texts.colors import COLOR_NAMES
from tether.batteries.testing import run_tool
from tether.batteries.tools.color import color_adjust, color_contrast, color_scheme
from tether.runtime.errors import InvalidToolArgs
from tether.runtime.tool import Tool


# Pairs that the known checkers publish (WebAIM and others): 21:1 for black on white, 4.48 for #777,
# which fails AA, 4.54 for #767676, which passes, 4.00 for pure red, 8.59 for pure blue, 1.37 for
# lime, 1.07 for yellow, 7.0 for #595959 and 3.03 for #949494.
@pytest.mark.parametrize(
    ("foreground", "background", "ratio", "passed"),
    [
        ("black", "white", 21.0, "aa aa_large aaa aaa_large graphics"),
        ("#777", "#fff", 4.48, "aa_large graphics"),
        ("#767676", "#ffffff", 4.54, "aa aa_large aaa_large graphics"),
        ("#FF0000", "#fff", 4.0, "aa_large graphics"),
        ("blue", "white", 8.59, "aa aa_large aaa aaa_large graphics"),
        ("lime", "white", 1.37, ""),
        ("yellow", "white", 1.07, ""),
        ("#595959", "white", 7.0, "aa aa_large aaa aaa_large graphics"),
        ("#949494", "white", 3.03, "aa_large graphics"),
        ("#fff", "#fff", 1.0, ""),
    ],
)
async def test_contrast_is_that_of_wcag(
    foreground: str, background: str, ratio: float, passed: str
) -> None:
    keys = {
        "aa": "aa_text",
        "aa_large": "aa_large_text",
        "aaa": "aaa_text",
        "aaa_large": "aaa_large_text",
        "graphics": "aa_controls_and_graphics",
    }
    result = await run_tool(color_contrast, {"foreground": foreground, "background": background})
    assert result["ratio"] == pytest.approx(ratio, abs=0.0051)
    assert [name for name, key in keys.items() if result["passes"][key]] == passed.split()
    swapped = await run_tool(color_contrast, {"foreground": background, "background": foreground})
    assert (swapped["ratio"], swapped["passes"]) == (result["ratio"], result["passes"])


async def test_a_level_is_judged_before_rounding() -> None:
    result = await run_tool(color_contrast, {"foreground": "#f00", "background": "#fff"})
    assert result["ratio"] == 3.998
    assert (result["foreground"], result["background"]) == ("#ff0000", "#ffffff")


# CSS Color Module Level 4: sections 5.1 (rgb), 5.2 (hex), 7 (hsl) and 6.1 (names).
@pytest.mark.parametrize(
    ("text", "hex"),
    [
        ("#0f0", "#00ff00"),
        (" #00FF00 ", "#00ff00"),
        ("rgb(0, 255, 0)", "#00ff00"),
        ("rgb(0 255 0)", "#00ff00"),
        ("RGB(0%, 100%, 0%)", "#00ff00"),
        ("rgb(127.5, 0, 0)", "#800000"),
        ("hsl(120, 100%, 50%)", "#00ff00"),
        ("hsl(120deg 100% 25%)", "#008000"),
        ("hsl(120 100 75)", "#80ff80"),
        ("hsl(-240, 100%, 50%)", "#00ff00"),
        ("hsl(480, 100%, 50%)", "#00ff00"),
        ("hsl(270, 60%, 50%)", "#8033cc"),
        ("hsl(0, 0%, 100%)", "#ffffff"),
        ("#0f0f", "#00ff00"),
        ("#00ff00FF", "#00ff00"),
        ("rgba(255, 0, 0, 1)", "#ff0000"),
        ("rgba(255,0,0,1.0)", "#ff0000"),
        ("rgb(255 0 0 / 1)", "#ff0000"),
        ("rgb(255 0 0/100%)", "#ff0000"),
        ("rgb(255 0 0 / 2)", "#ff0000"),  # section 4.2: clamped to 1
        ("hsla(1, 0%, 0%, 1)", "#000000"),
        ("rgb(.0 255 0)", "#00ff00"),
        ("RebeccaPurple", "#663399"),
        ("darkslategrey", "#2f4f4f"),
    ],
)
async def test_colours_are_read_as_in_css(text: str, hex: str) -> None:
    result = await run_tool(color_adjust, {"color": text, "amount": 0})
    assert result["before"] == hex
    assert result["color"] == hex


def test_the_names_are_those_of_css() -> None:
    """The checksum is that of the table in webcolors 25.10, with the name that CSS 4 added.

    That is CSS 3 and rebeccapurple, #663399: 148 names.
    """
    assert len(COLOR_NAMES) == 148
    lines = "".join(f"{name} {value}\n" for name, value in sorted(COLOR_NAMES.items()))
    checksum = "f0899e92584312f5bac8582e77e5f0066cabe2d66d97a99e161d600526b15e53"
    assert hashlib.sha256(lines.encode()).hexdigest() == checksum


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lightgren", "Did you mean lightgreen"),
        ("#12345", "not a colour such as"),
        ("ff0000", "not a colour such as"),
        ("", "not a colour such as"),
        ("rgb(300, 0, 0)", "go to 255"),
        ("rgb(-1, 0, 0)", "go to 255"),
        ("rgb(101%, 0%, 0%)", "100%"),
        ("rgb(1deg, 2, 3)", "go to 255"),
        ("rgb(1, 2)", "rgb() takes three numbers"),
        ("rgb(a, b, c)", "rgb() takes three numbers"),
        ("hsl(1, 2%)", "hsl() takes three numbers"),
        ("hsl(50%, 1%, 1%)", "degrees and two percentages"),
        ("hsl(50, 1deg, 1%)", "degrees and two percentages"),
        ("hsl(50, 101%, 1%)", "degrees and two percentages"),
        ("rgb(1e999, 0, 0)", "three numbers"),
        ("#1234", "is translucent: blend it"),
        ("#12345678", "is translucent"),
        ("rgba(1, 2, 3, 0.5)", "is translucent"),
        ("rgb(1 2 3 / 50%)", "is translucent"),
        ("rgb(1 2 3/.5)", "is translucent"),
        ("hsla(1, 2%, 3%, 99.9%)", "is translucent"),
        ("rgb(1 2 3 / 1deg)", "The alpha is a number"),
        ("rgb(1 2 3 / none)", "The alpha is a number"),
        ("rgb(1 2 3 /)", "The alpha is a number"),
        ("rgb(255/0/0)", "rgb() takes three numbers"),
        ("rgb(1, 2 3)", "rgb() takes three numbers"),
        ("rgb(1 2 3 1)", "rgb() takes three numbers"),
        ("rgb(1, 2, 3 / 1)", "rgb() takes three numbers"),
        ("transparent", "is translucent"),
        ("\u0661\u0661\u0661", "not a colour such as"),
    ],
)
async def test_what_is_no_opaque_colour_is_refused(text: str, expected: str) -> None:
    assert expected in await refusal_text(color_adjust, color=text, amount=0)
    assert expected in await refusal_text(color_scheme, color=text, scheme="triadic")
    assert expected in await refusal_text(color_contrast, foreground="red", background=text)


# The documentation of Sass, module sass:color: lighten, darken, saturate, desaturate.
@pytest.mark.parametrize(
    ("color", "amount", "channel", "expected"),
    [
        ("#6b717f", 20, "lightness", "#a1a5af"),
        ("#036", 60, "lightness", "#99ccff"),
        ("#b37399", -20, "lightness", "#7c4465"),
        ("#f2ece4", -40, "lightness", "#b08b5a"),
        ("#036", -30, "lightness", "#000000"),
        ("#036", 100, "lightness", "#ffffff"),
        ("#036", -20, "saturation", "#0a335c"),
        ("#f2ece4", -20, "saturation", "#eeebe8"),
        ("#d2e1dd", -30, "saturation", "#dadada"),
        ("#855", -20, "saturation", "#726b6b"),
    ],
)
async def test_colours_are_adjusted_as_in_sass(
    color: str, amount: float, channel: str, expected: str
) -> None:
    arguments = {"color": color, "amount": amount, "channel": channel}
    assert (await run_tool(color_adjust, arguments))["color"] == expected


# The same documentation for complement and adjust-hue; the other angles by the definition of HSL,
# in which pure red turns into yellow, green, cyan, blue and magenta by 60 degrees each.
@pytest.mark.parametrize(
    ("color", "scheme", "expected"),
    [
        ("#6b717f", "complementary", ["#6b717f", "#7f796b"]),
        ("#d2e1dd", "complementary", ["#d2e1dd", "#e1d2d6"]),
        ("#036", "complementary", ["#003366", "#663300"]),
        ("red", "triadic", ["#ff0000", "#00ff00", "#0000ff"]),
        ("red", "analogous", ["#ff0000", "#ff0080", "#ff8000"]),
        ("red", "split_complementary", ["#ff0000", "#00ff80", "#0080ff"]),
        ("red", "tetradic", ["#ff0000", "#80ff00", "#00ffff", "#8000ff"]),
        ("gray", "triadic", ["#808080", "#808080", "#808080"]),
        (
            "red",
            "monochromatic",
            ["#ff0000", "#330000", "#990000", "#ff0000", "#ff6666", "#ffcccc"],
        ),
    ],
)
async def test_schemes_turn_the_hue(color: str, scheme: str, expected: list[str]) -> None:
    result = await run_tool(color_scheme, {"color": color, "scheme": scheme})
    assert result["colors"] == expected


# color.hue, color.saturation and color.lightness in the documentation of Sass.
@pytest.mark.parametrize(
    ("color", "hsl"),
    [
        ("#e1d7d2", "hsl(20.0, 20.0%, 85.3%)"),
        ("#f2ece4", "hsl(34.3, 35.0%, 92.2%)"),
        ("#dadbdf", "hsl(228.0, 7.2%, 86.5%)"),
        ("black", "hsl(0.0, 0.0%, 0.0%)"),
    ],
)
async def test_a_colour_is_described_in_hsl(color: str, hsl: str) -> None:
    assert (await run_tool(color_scheme, {"color": color, "scheme": "triadic"}))["hsl"] == hsl


def css_hsl_to_rgb(hue: float, saturation: float, lightness: float) -> list[int]:
    """Convert as the sample code of CSS Color 4, section 7.1, does."""

    def channel(n: int) -> int:
        k = (n + hue / 30) % 12
        a = saturation * min(lightness, 1 - lightness)
        return int(round(255 * (lightness - a * max(-1, min(k - 3, 9 - k, 1))), 6) + 0.5)

    return [channel(0), channel(8), channel(4)]


@given(hue=st.integers(0, 360), saturation=st.integers(0, 100), lightness=st.integers(0, 100))
async def test_hsl_is_read_as_css_computes_it(hue: int, saturation: int, lightness: int) -> None:
    color = f"hsl({hue}, {saturation}%, {lightness}%)"
    result = await run_tool(color_adjust, {"color": color, "amount": 0})
    channels = css_hsl_to_rgb(hue, saturation / 100, lightness / 100)
    assert result["before"] == f"#{bytes(channels).hex()}"


@given(channels=st.binary(min_size=3, max_size=3))
async def test_a_colour_survives_its_way_through_hsl(channels: bytes) -> None:
    color = f"#{channels.hex()}"
    assert (await run_tool(color_adjust, {"color": color, "amount": 0}))["color"] == color


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (color_adjust, {"color": "red", "amount": 101}),
        (color_adjust, {"color": "red", "amount": "much"}),
        (color_adjust, {"color": "red", "amount": 1, "channel": "hue"}),
        (color_scheme, {"color": "red", "scheme": "ugly"}),
        (color_contrast, {"foreground": "red" * 100, "background": "red"}),
    ],
)
async def test_arguments_that_do_not_fit_are_refused(tool: Tool, arguments: Any) -> None:
    with pytest.raises(InvalidToolArgs):
        await run_tool(tool, arguments)
