"""Twenty thousand hostile inputs for one parsing tool: `python fuzz.py SUBJECT COUNT`.

Runs in a process of its own, outside the coverage of the test that starts it, which would make it
several times slower. Prints how the inputs fared; any exception outside the typed family ends it
with a traceback and the input that caused it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from support.mutants import mutants
from tether import (
    DispatchContext,
    DispatchRunner,
    Helpers,
    NoopStorage,
    RawDispatch,
    TextSpool,
    Tool,
)
from tether.batteries import tools
from tether.batteries.artifacts import (
    SpooledCsvArtifact,
    SpooledJsonArtifact,
    SpooledMarkdownArtifact,
)
from tether.batteries.testing import FakeClock
from tether.batteries.web import WebAccess
from tether.core.errors import InputRefused
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError

DOCUMENT: dict[str, Any] = {
    "a": [1, 2, {"b": "x", "price": 8.95}],
    "é": None,
    "t": True,
    "n": {"b": [[], {}]},
}

WEB = WebAccess(hosts=["docs.example", "*.docs.example", "bücher.example"])


class Subject(NamedTuple):
    """What is fed, what it is fed with, and the words of its language."""

    feed: Callable[[DispatchContext, str], Awaitable[object]]
    seeds: Sequence[str]
    words: Sequence[str]


def tool(tool: Tool, argument: str, **others: Any) -> Callable[..., Awaitable[object]]:
    """Feed the input to a tool as this argument."""
    return lambda ctx, text: tool.executor(ctx)({argument: text, **others})


async def json_artifact(ctx: DispatchContext, text: str) -> object:
    artifact = SpooledJsonArtifact(TextSpool(text))
    return await artifact.json_type(), await artifact.json_keys(), await artifact.json_get("$..*")


async def markdown_artifact(ctx: DispatchContext, text: str) -> object:
    artifact = SpooledMarkdownArtifact(TextSpool(text))
    outline = await artifact.md_headings(), await artifact.md_code_blocks()
    inside = await artifact.md_links(), await artifact.md_images(), await artifact.md_text()
    return outline, inside, await artifact.md_ast(), await artifact.md_frontmatter()


async def csv_artifact(ctx: DispatchContext, text: str) -> object:
    artifact = SpooledCsvArtifact(TextSpool(text))
    return await artifact.csv_columns(), await artifact.csv_rows(), await artifact.csv_sample(2)


async def url(ctx: DispatchContext, text: str) -> object:
    return WEB.check(text)


JSON_SEEDS = (
    '{"a": [1, -2.5e3, true, null, "\\u00e9"]}',
    '{"a": {"b": {"c": []}}, "d": ""}',
    "[[[[1]]], {}]",
    '{"a": 1}\n{"a": 2}\n',
    "{a: 'x', // comment\n b: 0x1F, c: .5, d: [1, 2,],}",
)
JSON_WORDS = ("{", "}", "[", "]", ",", ":", '"a"', "null", "1e5", "\\u", "//", "/*", "\n", "'")
DATE_SEEDS = (
    "2024-02-29T23:59:60Z",
    "2024-W10-3",
    "20240301T101112+05:30",
    "next Monday at 5pm",
    "in two weeks",
    "third Thursday of November",
    "March 3rd, 2024",
    "last 7 days",
    "Q3 2024",
    "P1Y2M3DT4H5M6S",
)
DATE_WORDS = (
    "next",
    "last",
    "day",
    "week",
    "months",
    "ago",
    "in",
    "the",
    "of",
    "2024",
    "-",
    ":",
    "T",
    "Z",
    "pm",
    "monday",
    "first",
    "twenty",
    "P",
    "24:00",
)

SUBJECTS = {
    "calculate": Subject(
        tool(tools.calculate, "expression"),
        ("2 * (3 + 4) ^ 2", "sqrt(16) + 5!", "1/3 + 0.1e-5", "-max(1, 2, sin(pi))", "10 % 3 // 2"),
        ("+", "-", "*", "/", "^", "**", "(", ")", ",", "!", "sin(", "log(", "pi", "9", ".", "e"),
    ),
    "evaluate_latex": Subject(
        tool(tools.evaluate_latex, "expression"),
        (
            r"\frac{1}{2} + \sqrt[3]{8}",
            r"\sum_{i=1}^{10} i^2",
            r"2\pi \cdot \left(3 + 4\right)",
            r"\log_{2}{8} - |{-3}|",
            r"\binom{5}{2} \times \sin^{2}(0)",
        ),
        ("\\frac", "{", "}", "\\sqrt", "^", "_", "\\left(", "\\right)", "\\sum", "|", "\\", "1"),
    ),
    "string_extract, pattern": Subject(
        tool(tools.string_extract, "pattern", text="The quick brown fox, 123 é 2024-01-01 aaaa"),
        (r"\d{4}-(\d\d)", r"(?P<word>\w+)", r"[^a-z]+", r"(a+)+$", r"\bfox\b|é", r"(?i)THE"),
        ("(", ")", "[", "]", "*", "+", "?", "{1,3}", "\\d", "\\1", "(?=", "(?P<", "|", "^", "$"),
    ),
    "json_format": Subject(tool(tools.json_format, "data"), JSON_SEEDS, JSON_WORDS),
    "json artifact": Subject(json_artifact, JSON_SEEDS, JSON_WORDS),
    "json_transform": Subject(
        tool(tools.json_transform, "query", data=DOCUMENT),
        (
            "$.a[?@.price < 10].b",
            "$..*",
            "$['a'][-1:0:-1]",
            "$.a[?length(@.b) == 1 && !@.c]",
            "$[?search(@, 'x+')]",
        ),
        ("$", ".", "..", "[", "]", "?", "@", "*", "'a'", "==", "&&", "length(", ")", ":", "-1"),
    ),
    "parse_yaml": Subject(
        tool(tools.parse_yaml, "text"),
        (
            "a: 1\nb:\n  - x\n  - {y: [z, 'q']}\n",
            "k: |\n  block\n  text\n",
            "- &a 1\n- *a\n",
            '"quoted": "esc\\n"\n? complex\n: value\n',
            "d: 2024-01-01\nn: ~\nt: !!str 5\n",
        ),
        (": ", "- ", "\n", "  ", "{", "}", "[", "]", "&a ", "*a", "!!", "<<", "|", ">", "---", "#"),
    ),
    "parse_csv": Subject(
        tool(tools.parse_csv, "text"),
        ("a,b\n1,2\n", 'name;"quoted; cell"\n"x""y";2\n', "a\tb\r\n\r\n3\t4", "\ufeffa|b|c\n1|2|3"),
        (",", ";", "\t", "|", '"', "\n", "\r\n", "=1+1", "a"),
    ),
    "csv artifact": Subject(
        csv_artifact,
        ("a,b\n1,2\n3,4\n", 'name,"multi\nline"\nx,y\n', "a;b;c\n1;2\n"),
        (",", ";", '"', "\n", "\r", "a", "1"),
    ),
    "parse_kv": Subject(
        tool(tools.parse_kv, "text"),
        ("a=1\nb = 'two'\n", 'export KEY="v\\n"\n# comment\n', "Name: value\n; comment\nx=y=z\n"),
        ("=", ":", "\n", "#", '"', "'", "export ", "\\", " "),
    ),
    "detect_delimiter": Subject(
        tool(tools.detect_delimiter, "text"),
        ("a,b,c\n1,2,3\n", "a;b\n1;2\n", "a\tb\n", "one | two\nthree | four\n"),
        (",", ";", "\t", "|", "\n", '"', " "),
    ),
    "markdown artifact": Subject(
        markdown_artifact,
        (
            '---\ntitle: x\n---\n# One\n\ntext [link](http://a.example "t")\n\n## Two\n',
            "```py\ncode\n```\n- item\n- ![alt](i.png)\n\n> quote\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n\n[ref][id]\n\n[id]: https://b.example\n",
        ),
        ("#", "\n", "[", "](", ")", "```", "~~~", "`", "*", "_", "<", ">", "|", "!", "---", "- "),
    ),
    "date_parse": Subject(tool(tools.date_parse, "text"), DATE_SEEDS, DATE_WORDS),
    "date_period": Subject(tool(tools.date_period, "period"), DATE_SEEDS, DATE_WORDS),
    "date_add": Subject(
        tool(tools.date_add, "date", amount=1, unit="months"), DATE_SEEDS, DATE_WORDS
    ),
    "duration_format": Subject(tool(tools.duration_format, "duration"), DATE_SEEDS, DATE_WORDS),
    "convert_time, zone": Subject(
        tool(tools.convert_time, "to_timezone", datetime="2024-03-10T02:30:00Z"),
        ("Europe/Berlin", "+05:30", "Z", "America/Argentina/Buenos_Aires", "utc"),
        ("/", "+", "-", ":", "Europe", "..", "14:00", "UTC", "GMT"),
    ),
    "convert_unit": Subject(
        tool(tools.convert_unit, "from_unit", value=1, to_unit="m"),
        ("km", "feet", "mile", "°C", "km/h", "l/100km", "MB"),
        ("/", "^2", "k", "m", "°", "per ", "square ", "µ", "s"),
    ),
    "format_number": Subject(
        tool(tools.format_number, "value"),
        ("1234567.891", "-0.5", "1e10", "12345678901234567890"),
        (".", ",", "-", "+", "e", "0", "9", " "),
    ),
    "color_contrast": Subject(
        tool(tools.color_contrast, "foreground", background="white"),
        ("#ff0000", "#abc", "rgb(1, 2, 3)", "hsl(120, 50%, 50%)", "rebeccapurple"),
        ("#", "rgb(", "hsl(", ")", ",", "%", "f", "255", "-1", "deg"),
    ),
    "encode_text, decode": Subject(
        tool(tools.encode_text, "text", encoding="base64", direction="decode"),
        ("aGVsbG8=", "4pyTIMOgIGxhIG1vZGU=", "%41%zz", "e29a93"),
        ("=", "%", "A", "/", "+", "-", "_"),
    ),
    "text_escape, xml": Subject(
        tool(tools.text_escape, "text", format="xml", direction="unescape"),
        (
            "&lt;a&gt; &amp;amp; &#233; &#x1F600;",
            '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>',
            "&#0; &#xD800; &#99999999;",
        ),
        ("&", ";", "&#", "&#x", "lt", "<", ">", "ENTITY"),
    ),
    "check_url": Subject(
        url,
        (
            "https://docs.example/a?b=c#d",
            "http://127.0.0.1/",
            "https://user@docs.example:443/",
            "https://[::ffff:127.0.0.1]/",
            "https://bücher.example/",
        ),
        (":", "/", "//", "@", "\\", "[", "]", "%", "#", "?", ".", "127", "0x7f", "xn--", "http"),
    ),
}


async def fuzz(name: str, count: int) -> dict[str, Any]:
    """Feed `count` inputs and return how many were answered and refused, and the slowest."""
    subject = SUBJECTS[name]
    fared: dict[str, Any] = {"answered": 0, "refused": 0, "slowest": 0.0}

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        for text in mutants(subject.seeds, subject.words, count):
            started = time.process_time()
            fared["answered" if await _is_answered(subject, ctx, text) else "refused"] += 1
            fared["slowest"] = max(fared["slowest"], time.process_time() - started)
        ctx.ack()

    raw = RawDispatch(system_prompt="", storage=NoopStorage())
    await DispatchRunner.dispatch(executor=execute, raw=raw, clock=FakeClock())
    return fared


async def _is_answered(subject: Subject, ctx: DispatchContext, text: str) -> bool:
    try:
        await subject.feed(ctx, text)
    except (InvalidToolArgs, InputRefused):
        return False
    except ToolDownstreamError as error:
        if not isinstance(error.__cause__, InputRefused):
            raise AssertionError(f"{type(error.__cause__).__name__} for {text!r}") from error
        return False
    except Exception as error:
        raise AssertionError(f"{type(error).__name__} for {text!r}") from error
    return True


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(fuzz(sys.argv[1], int(sys.argv[2])))))
