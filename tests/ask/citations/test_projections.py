"""The Markdown of an answer, read by an independent parser: only issued links, never an image."""

from __future__ import annotations

import os
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ask.citations.passages import EVIDENCE, answer_of, passage, reviewed
from tether.ask.answer import Answer, Citation, Near
from tether.ask.citations.draft import Stated, compose
from tether.ask.citations.markdown import as_markdown, as_plain, escaped, unescaped
from tether.ask.citations.passage import Passage, Window
from tether.ask.citations.projections import (
    MarkPiece,
    TextPiece,
    markdown,
    pieces,
    plain,
    readings,
    statement_forms,
)
from tether.ask.citations.review import ReviewRules, review
from tether.ask.refusal import refusal_text
from tether.ask.verification.scripted import ScriptedVerifier
from tether.text.units.units import Unit

RETRIED = "A client retries a failed request three times."
PARSER = MarkdownIt("gfm-like", {"linkify": False, "html": True}).disable("text_join")
ISSUED = {one.link for one in EVIDENCE}
ADDRESS = re.compile(r"\w://|\w\.[a-z]{2,}\b|\w@\w|\bmailto:", re.IGNORECASE)

HOSTILE = [
    "[x](javascript:alert(1))",
    "[x](java&#9;script:alert(1))",
    "[x](data:text/html,x)",
    "[full][ref] and [ref][] and [ref]\n\n[ref]: https://evil.example",
    "> [1]: https://evil.example\n\n- [1]: https://evil.example",
    "[1]: https://evil.example 'Official docs'",
    "[^1]: https://evil.example",
    "[\n1\n]: https://evil.example",
    "<https://evil.example> <mailto:a@evil.example> https://evil.example www.evil.example evil.com",
    "![x](https://evil.example/a.png) ![x][1] [![x](https://evil.example/a.png)](https://evil.example)",
    '<a href="https://evil.example">x</a> <img src=x> <svg><image href="https://evil.example"/></svg>',
    "<script>alert(1)</script>\n\n<iframe srcdoc='x'>\n<!-- open",
    "[a [b](https://evil.example)](https://docs.example/guide/delays)",
    "[https://docs.example](https://evil.example)",
    "[x](//evil) [x](\\\\evil) [x](/\\evil) [x](https:evil) [x](https:///evil) [x](../x)",
    "[x](https://docs.example@evil.example/guide/delays)",
    "[[cite:doc-9999]] [99999999999]",
    "`[x](https://evil.example)` ``[x](https://evil.example)` [x](https://evil.example)",
    "```\n[x](https://evil.example)",
    "    [x](https://evil.example)",
    "\\[x](https://evil.example) \\\\[x](https://evil.example) \\",
    "| [x](https://evil.example) |\n|---|\n| ![x](y) |",
    "a `b\n\nc` [x](https://evil.example)",
    "<![CDATA[ [x](https://evil.example) ]]>",
    "&lt;a href=x&gt; &#91;x&#93;&#40;https://evil.example&#41;",
]


def inline(text: str) -> list[Token]:
    """Return what a parser with all rules on sees; texts are not joined, as a linker sees them."""
    tokens: list[Token] = []
    for token in PARSER.parse(text):
        tokens += [token, *(token.children or [])]
    return tokens


def targets(text: str) -> set[str]:
    return {str(token.attrs["href"]) for token in inline(text) if token.type == "link_open"}


def assert_links_nowhere_else(text: str, issued: set[str]) -> None:
    tokens = inline(text)
    assert targets(text) <= issued
    assert {"image", "html_inline", "html_block"}.isdisjoint(token.type for token in tokens)
    texts = [token.content for token in tokens if token.type == "text"]
    assert not [one for one in texts if ADDRESS.search(one)]


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("code", [True, False])
def test_hostile_answers_link_only_to_issued_sources(hostile: str, code: bool) -> None:
    for text in (
        f"{hostile}\n\n{RETRIED} [1]",
        f"{RETRIED} [1] {hostile}",
        f"{RETRIED} [1]\n\n{hostile}",
    ):
        found = reviewed(text, code=code)
        drafts = [found.draft, *([found.repaired] if found.repaired else [])]

        for draft in drafts:
            written = markdown(answer_of(draft))
            assert_links_nowhere_else(written, ISSUED)
            assert "guide/retries.md#limits" in targets(written) or not draft.citations


@pytest.mark.parametrize("hostile", HOSTILE)
def test_every_beginning_of_an_answer_links_nowhere_else(hostile: str) -> None:
    text = f"{RETRIED} [1] {hostile}\n\n```\nx\n```\n\n{RETRIED} [1]"
    citations = (mark(1, text.index("[1]")), mark(1, text.rindex("[1]")))

    for end in range(0, len(text) + 1, 1 if os.environ.get("EXPLORE") == "deep" else 23):
        answer = made(text[:end], citations)
        assert_links_nowhere_else(markdown(answer), ISSUED)


@given(st.text(alphabet="[]()!`<>\\:/.@#*_|&;1 \n-ahtps", max_size=50))
def test_any_text_links_nowhere(text: str) -> None:
    assert_links_nowhere_else(markdown(made(text)), set())


@given(st.text(alphabet="[]()!`<>\\:/.@#*_|&; \nahtps", max_size=30))
def test_any_text_around_a_mark_leaves_the_mark(text: str) -> None:
    answer = made(f"{text}[1]", (mark(1, len(text)),))

    assert_links_nowhere_else(markdown(answer), ISSUED)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("a.md", "a.md"),
        ("a b.md", "a%20b.md"),
        ("wiki/x_(y).md", "wiki/x_(y).md"),
        ("a](https://evil.example).md", "a%5D(https://evil.example).md"),
        ("https://ok.example/?a=1&copy=2", "https://ok.example/?a=1&copy=2"),
        ("<a>.md", "%3Ca%3E.md"),
        ('a" onmouseover="x', "a%22%20onmouseover=%22x"),
        ("caf\u00e9.md", "caf%C3%A9.md"),
        ("javascript:alert(1)", None),
        ("//evil.example/a", None),
        ("\\\\evil\\a", None),
        ("a\nb.md", None),
    ],
)
def test_the_target_of_a_mark_is_the_source(link: str, expected: str | None) -> None:
    answer = made("It is so. [1]", (mark(1, 10, document=link),))

    assert targets(markdown(answer)) == ({expected} if expected else set())
    assert plain(answer) == "It is so. [1]"


def test_titles_and_keys_with_markdown_change_nothing() -> None:
    evil = "](https://evil.example) <img src=x> ![x](y)"
    pages = (
        passage(1, "Logs go to standard error.", "a.md", title=evil, anchor="x](https://evil)"),
    )

    found = review("Logs go to standard error. [1]", pages, "?", ReviewRules())

    assert found.passed
    assert_links_nowhere_else(markdown(answer_of(found.draft)), {"a.md#x%5D(https://evil)"})


def test_pieces_follow_positions_and_no_pattern() -> None:
    answer = made("items[1] are so. [1] and [1]", (mark(1, 17), mark(1, 18), mark(2, 25)))

    found = list(pieces(answer))

    assert found == [
        TextPiece("items[1] are so. "),
        MarkPiece(answer.citations[0]),
        TextPiece(" and [1]"),
    ]


def test_pieces_can_be_had_without_escapes() -> None:
    answer = made("a \\[b\\] [1]\n\n```\n\\[\n```", (mark(1, 8),))

    assert [piece.plain for piece in pieces(answer)] == ["a [b] ", "[1]", "\n\n", "```\n\\[\n```"]


def test_code_blocks_stay_as_they_are() -> None:
    text = "See:\n\n```sh\n[x](y) \\[ a.b\n```\n\nDone [1]. a.b"
    answer = made(text, (mark(1, text.index("[1]")),))

    assert markdown(answer) == (
        "See:\n\n```sh\n[x](y) \\[ a.b\n```\n\nDone [1](guide/retries.md#limits). a\\.b"
    )
    assert plain(answer) == text


def test_plain_text_has_no_escapes() -> None:
    found = review(
        "The list \\[7\\] is *short*. [1]",
        (passage(1, "The list [7] is *short*.", "a.md"),),
        "?",
        ReviewRules(),
    )

    assert found.draft.text == "The list \\[7\\] is short. [1]"
    assert plain(answer_of(found.draft)) == "The list [7] is short. [1]"


@pytest.mark.parametrize(
    "said",
    [
        "The path is `C:\\*.txt`, and the pattern is `\\[a-z\\]+`.",
        "The folder is C:\\new_files\\[old].",
        "A line ends with \\",
        "1. This is not a step.",
        "# This is not a heading.",
        "Write &lt; for < and &amp; for &.",
        "A lone ` stays, and so does `` a pair.",
    ],
)
def test_backslashes_and_signs_of_a_document_are_shown(said: str) -> None:
    answer = answer_of(compose([stated(said)]))

    assert plain(answer) == f"{said} [1]"
    assert visible(markdown(answer)) == re.sub(r"(?<!`)`([^`]+)`(?!`)", r"\1", f"{said} 1")


def stated(text: str) -> Stated:
    """Return a text as a reviewed statement on a page that consists of it."""
    unit = Unit("sentence", 0, len(text), None, (), 1, text, "")
    return Stated(
        text=text, window=Window(Passage(passage(1, text, "a.md")), (unit,)), probability=1.0
    )


texts = st.text(alphabet="[]()!`<>\\:/.@#&;l|1 -ah~", max_size=40)


@given(texts)
def test_what_is_written_as_markdown_is_read_again_to_the_letter(text: str) -> None:
    assert as_plain(as_markdown(text)) == text


@given(texts.map(lambda text: " ".join(text.split())))
def test_a_statement_is_shown_to_the_letter_wherever_it_stands(text: str) -> None:
    said = stated(text)
    spoken = compose([said, said, replace(said, layout="item"), replace(said, replaces=True)])

    shown = plain(answer_of(spoken))

    in_quotes = f"The document says: \u201c{text}\u201d [1]"
    assert shown == f"{text} [1] {text} [1]\n\n- {text} [1]\n\n{in_quotes}"


@given(texts.map(lambda text: "a" + " ".join(text.replace("`", "").split())))
def test_a_reader_of_markdown_sees_the_same_text(text: str) -> None:
    assert visible(as_markdown(text)) == text.rstrip()


@given(st.text(alphabet="[]<`\\&;:. ab", max_size=30))
def test_markdown_of_a_model_without_escapes_is_what_it_escaped(text: str) -> None:
    once = unescaped(escaped(text.replace("`", "").replace("\\", "")))
    assert once == text.replace("`", "").replace("\\", "")


def visible(text: str) -> str:
    """Return the characters that a parser of Markdown shows; emphasis is not looked for."""
    parser = MarkdownIt("commonmark", {"html": True}).disable("emphasis")
    tokens = [it for block in parser.parse(text) for it in block.children or [] if it.content]
    return "".join(token.content for token in tokens)


def test_sources_are_shown_as_a_person_reads_them() -> None:
    table = "| name | default |\n|---|---|\n| `retries` | 3 |\n| `delay` | 5 |\n"
    listed = "A client accepts:\n\n- **tokens**\n- [keys](keys.md)\n"
    pages = (
        passage(1, table, "a.md", title="Set [x](y)"),
        passage(2, listed, "b.md", title="Access", url="javascript:alert(1)"),
    )
    first = "Name: `retries`; default: 3 [1]. Name: `delay`; default: 5 [1]."

    found = review(f"{first} A client accepts: tokens [2].", pages, "?", ReviewRules())
    answer = replace(answer_of(found.draft), notes=("2 images\nwere removed", "a *note*"))

    assert found.passed
    assert readings(answer, 1) == ("name: `retries`; default: 3", "name: `delay`; default: 5")
    assert plain(answer, sources=True).splitlines()[1:] == [
        "",
        (
            f"[1] Set [x](y), a.md: {quoted('name: `retries`; default: 3')}"
            f" {quoted('name: `delay`; default: 5')}"
        ),
        f"[2] Access, javascript:alert(1): {quoted('A client accepts: tokens')}",
        "",
        "Note: 2 images were removed",
        "",
        "Note: a *note*",
    ]
    written = markdown(answer, sources=True)
    assert f"\n- [1](a.md) Set \\[x\\](y): {quoted('name: `retries`; default: 3')}" in written
    assert f"\n- \\[2\\] Access: {quoted('A client accepts: tokens')}" in written
    assert_links_nowhere_else(written, {"a.md"})


def quoted(text: str) -> str:
    return f"\u201c{text}\u201d"


def test_an_old_answer_shows_its_quotes() -> None:
    old = replace(mark(1, 10), quote="It *is* so.")

    answer = made("It is so. [1]", (old,))

    assert plain(answer, sources=True).endswith("limits: \u201cIt *is* so.\u201d")
    assert plain(made("It is so."), sources=True) == "It is so."
    assert markdown(made("It is so."), sources=True) == "It is so."


def test_statements_are_told_with_words_probability_and_quote() -> None:
    found = review(
        f"{RETRIED} [1] The list \\[7\\] is long.",
        (*EVIDENCE, passage(4, "The list [7] is short.", "a.md")),
        "?",
        ReviewRules(verifier=ScriptedVerifier(supports=["is long"])),
    )

    answer = answer_of(found.draft)

    assert statement_forms(answer) == [
        {
            "text": RETRIED,
            "words": "document",
            "probability": 1.0,
            "source": 1,
            "quote": RETRIED,
        },
        {
            "text": "The list [7] is long.",
            "words": "model",
            "probability": 0.9,
            "source": 2,
            "quote": "The list [7] is short.",
        },
    ]
    assert statement_forms(replace(answer, citations=answer.citations[:1]))[1:] == []


def test_code_is_told_with_its_backslashes() -> None:
    page = passage(1, "```sh\ngrep '\\[a' b\n```\n", "a.md")
    found = review("```\ngrep '\\[a' b\n```", (page,), "?", ReviewRules(code=True))

    answer = answer_of(found.draft)

    assert plain(answer) == "```sh\ngrep '\\[a' b\n```\n\n[1]"
    assert [one["text"] for one in statement_forms(answer)] == ["```sh\ngrep '\\[a' b\n```"]


def refused(*nearest: Near) -> Answer:
    return Answer(
        id="t",
        conversation="c",
        question="?",
        text=refusal_text("below-floor", nearest),
        verdict="abstained",
        reason="below-floor",
        nearest=nearest,
    )


def test_the_nearest_pages_of_a_refusal_are_links() -> None:
    answer = refused(
        Near(title="Retries", url="guide/retries.md"),
        Near(title="", url="https://docs.example/a b"),
        Near(title="", url=""),
    )

    assert markdown(answer) == (
        f"{refusal_text('below-floor', ())}\n\nThe pages that come nearest:\n\n"
        "- [Retries](guide/retries.md)\n"
        "- [https\\://docs\\.example/a b](https://docs.example/a%20b)"
    )
    assert plain(answer) == answer.text
    slashed = refused(Near(title="C:\\\\*", url="a.md"))
    assert plain(slashed) == slashed.text
    assert targets(markdown(answer)) == {"guide/retries.md", "https://docs.example/a%20b"}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_titles_of_nearest_pages_link_to_their_page(hostile: str) -> None:
    written = markdown(refused(Near(title=hostile, url="guide/retries.md#limits")))

    assert_links_nowhere_else(written, ISSUED)
    assert targets(written) == {"guide/retries.md#limits"}


@pytest.mark.parametrize("url", ["javascript:alert(1)", "//evil.example", "a\nb", ""])
def test_a_nearest_page_without_an_address_is_text(url: str) -> None:
    assert markdown(refused(Near(title="Re[t]ries", url=url))).endswith("\n- Re\\[t\\]ries")


def test_a_refusal_in_other_words_is_text() -> None:
    near = Near(title="Retries", url="guide/retries.md")
    answer = replace(refused(near), text="No answer. Retries comes nearest.")

    assert markdown(answer) == answer.text


def made(text: str, citations: tuple[Citation, ...] = ()) -> Answer:
    return Answer(
        id="t", conversation="c", question="?", text=text, verdict="answered", citations=citations
    )


def mark(number: int, start: int, document: str = "guide/retries.md") -> Citation:
    return Citation(
        number=number,
        span_start=0,
        span_end=0,
        mark_start=start,
        mark_end=start + 3,
        document=document,
        title="Retries",
        url="",
        anchor="limits" if document == "guide/retries.md" else "",
        chunk="c-1",
        quote="",
        start=0,
        end=0,
        version="v1",
    )
