"""Drafts are composed from statements: their text, their marks, and the words that code adds."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from ask.citations.passages import passage
from tether.ask.citations.draft import Draft, Stated, compose
from tether.ask.citations.passage import Passage, Window
from tether.ask.citations.statements import Layout

PAGE = Passage(passage(1, "One is here. Two is there.", "a.md", title="A", anchor="x"))
OTHER = Passage(passage(2, "| Tier | Size |\n|---|---|\n| big | 5 |\n", "b.md", url="https://b"))
CODE = Passage(passage(3, "Run this:\n\n```sh\nls\n```\n", "c.md"))


def stated(
    text: str,
    page: Passage = PAGE,
    *,
    layout: Layout = "sentence",
    section: int = 1,
    lead: str = "",
    replaces: bool = False,
) -> Stated:
    return Stated(
        text=text,
        window=Window(page, page.units[:1]),
        probability=0.98765,
        layout=layout,
        section=section,
        lead=lead,
        replaces=replaces,
    )


def test_nothing_stated_is_an_empty_text() -> None:
    assert compose([]) == Draft(text="", statements=(), citations=())


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([stated("A is."), stated("B is.")], "A is. [1] B is. [1]"),
        ([stated("A is."), stated("B is.", section=2)], "A is. [1]\n\nB is. [1]"),
        ([stated("A is."), stated("B is.", OTHER)], "A is. [1] B is. [2]"),
        (
            [stated("Both:"), stated("A is.", layout="item"), stated("B is.", layout="item")],
            "Both: [1]\n\n- A is. [1]\n- B is. [1]",
        ),
        (
            [
                stated("A is.", layout="step"),
                stated("B is.", layout="step", section=2),
                stated("So."),
                stated("C is.", layout="step"),
            ],
            "1. A is. [1]\n2. B is. [1]\n\nSo. [1]\n\n1. C is. [1]",
        ),
        (
            [stated("A is."), stated("B is.", replaces=True), stated("C is.")],
            "A is. [1]\n\nThe document says: \u201cB is.\u201d [1]\n\nC is. [1]",
        ),
        (
            [stated("ls", CODE, layout="code"), stated("A is.")],
            "```sh\nls\n```\n\n[1]\n\nA is. [2]",
        ),
        ([stated("a ```` b", layout="code")], "`````\na ```` b\n`````\n\n[1]"),
        ([stated("A\n is\tso.")], "A is so. [1]"),
        (
            [stated("A is.\n# B  is.", layout="list", lead="- Both:"), stated("C is.")],
            "\\- Both:\n\n- A is.\n- \\# B is. [1]\n\nC is. [1]",
        ),
        ([stated("A is.\nB is.", layout="steps")], "1. A is.\n2. B is. [1]"),
        (
            [stated("ls", CODE, layout="code", lead="Run this:")],
            "Run this:\n\n```sh\nls\n```\n\n[1]",
        ),
    ],
)
def test_statements_are_laid_out_as_they_were_said(statements: list[Stated], expected: str) -> None:
    assert compose(statements).text == expected


@pytest.mark.parametrize("layout", ["sentence", "item", "step"])
@pytest.mark.parametrize(
    "text",
    [
        "# A is.",
        "- A is.",
        "1. A is.",
        "> A is.",
        "--- A",
        "=== A",
        "| A | b |",
        "~~~ A",
        ": A is.",
        "[A](https://evil.example) is.",
        "![A](https://evil.example) is.",
        "[A]: https://evil.example",
        "<script>A</script>",
        "<https://evil.example>",
        "A \\[b](c)",
        "A &lt;b&gt; &copy;",
        "A `[b](c)` `` d",
        "A\\",
    ],
)
def test_no_text_becomes_markup(text: str, layout: Layout) -> None:
    parsed = MarkdownIt().parse(compose([stated(text, layout=layout)]).text)

    wrapping = {"sentence": set[str](), "item": {"ul", "li"}, "step": {"ol", "li"}}[layout]
    assert {token.tag for token in parsed if token.tag} == {"p"} | wrapping
    (inline,) = [token for token in parsed if token.type == "inline"]
    shown = inline.children or []
    assert {token.type for token in shown} <= {"text", "text_special", "code_inline"}
    plain = "".join(f"`{it.content}`" if it.markup == "`" else it.content for it in shown)
    assert plain == f"{text} [1]"


def test_a_statement_inside_a_paragraph_needs_no_escapes() -> None:
    assert compose([stated("A is."), stated("- b is.")]).text == "A is. [1] - b is. [1]"


def test_every_statement_has_the_citation_after_it() -> None:
    draft = compose([stated("A is."), stated("B is.", OTHER), stated("C is.", PAGE)])

    for at, statement in enumerate(draft.statements):
        citation = draft.citations[statement.citation]
        assert statement.citation == at
        assert (citation.span_start, citation.span_end) == (statement.start, statement.end)
        assert draft.text[statement.end : citation.mark_end] == f" [{citation.number}]"
    shown = [draft.text[one.start : one.end] for one in draft.statements]
    assert shown == ["A is.", "B is.", "C is."]
    assert {(one.words, one.probability) for one in draft.statements} == {("model", 0.9877)}
    first, second, third = draft.citations
    assert (first.number, second.number, third.number) == (1, 2, 1)


def test_a_citation_has_the_quote_and_its_lead_with_their_places() -> None:
    (first, second) = compose([stated("A is."), stated("B is.", OTHER)]).citations

    assert (first.document, first.title, first.anchor, first.version) == ("a.md", "A", "x", "v7")
    assert (first.quote, first.start, first.end) == ("One is here.", 1_000, 1_012)
    assert (first.lead, first.lead_start, first.lead_end) == ("", -1, -1)
    assert first.reading == "One is here."
    assert (second.quote, second.start, second.end) == ("| big | 5 |", 2_026, 2_037)
    assert (second.lead, second.lead_start, second.lead_end) == ("| Tier | Size |", 2_000, 2_015)
    assert second.reading == "Tier: big; Size: 5"
    assert second.link == "https://b"


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ("```python title=x\nls\n```", "python"),
        ("```c++\nls\n```", "c++"),
        ("~~~\nls\n~~~", ""),
        ("```{code-block} sh\nls\n```", ""),
        ("    ls\n", ""),
    ],
)
def test_the_language_of_code_is_the_documents(source: str, language: str) -> None:
    page = Passage(passage(1, f"It is so:\n\n{source}\n"))

    assert compose([stated("ls", page, layout="code")]).text.startswith(f"```{language}\nls\n")
