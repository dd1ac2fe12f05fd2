"""Inline Markdown into plain text, beside markdown-it's own inline parser as the oracle."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from retrieval.readers.pages import read, shape
from tether.retrieval.chunking.chunker import Chunker
from tether.text.markdown.site_inlines import Dialect, read_inline
from tether.text.markdown.site_marks import closed_names
from tether.text.markdown.targets import Target

REFERENCES = {"guide": Target("/guide", None), "two words": Target("/two", None)}


def plain(text: str, dialect: Dialect | None = None) -> str:
    found, _ = read_inline(text, dialect or Dialect(references=REFERENCES))
    return " ".join(found.text.split())


def links(text: str) -> list[tuple[str, str]]:
    _, found = read_inline(text, Dialect(references=REFERENCES))
    return [(link.url, link.text) for link in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words", "plain words"),
        ("**bold** and *soft*, __both__ _ways_, ***three***", "bold and soft, both ways, three"),
        ("snake_case_n and 2 * 3, *args, **kw", "snake_case_n and 2 * 3, *args, **kw"),
        ("~~gone~~ and ~x~ but ~~~no~~~ and ~~a~", "gone and x but ~~~no~~~ and ~~a~"),
        ("``a ` b`` and `**not bold**` and ` x `", "a ` b and **not bold** and x"),
        ("an unclosed ` tick and `` two", "an unclosed ` tick and `` two"),
        (r"\*literal\* and \[x\] and a\b", r"*literal* and [x] and a\b"),
        ("hard\\\nbreak", "hard break"),
        ("&lt;T&gt; &amp; &hellip; &nope; & &#65;", "<T> & … &nope; & A"),
        ("[text](/a) ![alt](b.png) [![badge](c)](d)", "text alt badge"),
        ('[t](</a b> "title") [t](a (x)) [t](a(b)c)', "t t t"),
        ("[full][guide] [guide][] [Guide] [two\nwords]", "full guide Guide two words"),
        ("[other][missing] [missing] [x]", "[other][missing] [missing] [x]"),
        ("[[not a link](a)](b)", "[not a link](b)"),
        ("a ] b", "a ] b"),
        ("<https://a.b/c> <me@a.org> https://x.y/z.", "https://a.b/c me@a.org https://x.y/z."),
        ("<b>bold</b> <i class='x'>in</i><br>next <img alt='An image'>", "bold in next An image"),
        ("Vec<T> and <your-name> stay", "Vec<T> and <your-name> stay"),
        ("<Badge type='tip' text='new'/> a < b <> </>", "a < b"),
        ("[[Page]] and [[target|shown]] and [[ -f x ]]", "Page and shown and [[ -f x ]]"),
        ("claim[^1] and[^note]", "claim and"),
        ("[^1]: The note.", "The note."),
        ("[!NOTE] Title", "Title"),
        ("[ ] open task", "open task"),
        ("[link](a){target=_blank} `c`{.py} word{#id .x}", "link c word"),
        ("set {a: 1} and {#x} in the middle\nof it", "set {a: 1} and {#x} in the middle of it"),
        ("last line {.lead}", "last line"),
        (":material-check: yes :octicons-x-16: a:b-c :no-way", "yes a:b-c :no-way"),
        ('{{< glossary_tooltip text="Pods" term_id="pod" >}} run', "Pods run"),
        ('a {{% heading "whatsnext" %}} {{< ref "x.md" >}}{% raw %}b', "a What's next b"),
        ("[x]({{< ref \"page.md\" >}}) y", "x y"),
        ("{{ $frontmatter.title }} stays", "{{ $frontmatter.title }} stays"),
        ("![[ http:// x", "![[ http:// x"),
    ],
)  # fmt: skip
def test_a_reader_sees_the_words_without_the_marks(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_links_are_collected_as_they_are_written() -> None:
    text = (
        "[a *b*](/x?y=1&amp;z) <https://e.org> [guide] [[Page|p]] http://u.v/w) <a href='/h'>h</a>"
    )
    assert links(text) == [
        ("/x?y=1&z", "a b"),
        ("https://e.org", "https://e.org"),
        ("/guide", "guide"),
        ("Page", "p"),
        ("http://u.v/w", "http://u.v/w"),
        ("/h", ""),
    ]
    assert links("[http://a.b](http://c.d) [![alt](img)](e)") == [
        ("http://c.d", "http://a.b"),
        ("e", "alt"),
    ]
    assert links("[](/empty) [x]() <Link to='/t'>t</Link> <a>") == [
        ("/empty", ""),
        ("", "x"),
        ("/t", ""),
    ]


def test_expressions_are_code_only_in_mdx() -> None:
    mdx = Dialect(expressions=True)
    assert plain("a {props.x} b {'text'} c {`t`} {\"q\"} { open", mdx) == "a b text c t q { open"
    assert plain("a {{nested: {}}} b }", mdx) == "a b }"
    assert plain("a {x} b") == "a {x} b"


def test_a_name_that_is_closed_somewhere_is_a_tag() -> None:
    assert plain("<note>x", Dialect(closed=frozenset({"note"}))) == "x"
    assert plain("<note>x") == "<note>x"


def test_the_label_of_a_component_is_shown() -> None:
    assert plain('<Tab label="npm">x</Tab> <Card title={"Start"} />') == "npm x Start"


def rendered(tokens: Sequence[Token] | None) -> str:
    """Return the text of markdown-it's tokens, as a browser would show it."""
    shown = {"softbreak": "\n", "hardbreak": "\n", "html_inline": ""}
    return "".join(
        rendered(token.children) if token.type == "image" else shown.get(token.type, token.content)
        for token in tokens or ()
    )


def oracle(text: str) -> str:
    parser = MarkdownIt("commonmark").enable("strikethrough")
    return " ".join(rendered(parser.parseInline(text)[0].children).split())


word = st.sampled_from(["one", "snake_case", "2", "é", "日本", "x.y", "a-b", "(so)", "1 < 2"])
marked = st.recursive(
    word,
    lambda inner: st.one_of(
        inner.map(lambda text: f"**{text}**"),
        inner.map(lambda text: f"*{text}*"),
        word.map(lambda text: f"~~{text}~~"),
        word.map(lambda text: f"`{text}`"),
        word.map(lambda text: f"[{text}](/u)"),
        word.map(lambda text: f"![{text}](i.png 'T')"),
        st.just("&amp;"),
        st.just("\\*"),
        st.lists(inner, min_size=2, max_size=3).map(" ".join),
    ),
    max_leaves=6,
)


@given(st.lists(marked, min_size=1, max_size=6).map(" ".join))
def test_ordinary_markup_reads_as_markdown_it_reads_it(text: str) -> None:
    assert plain(text, Dialect()) == oracle(text)


noise = st.text(st.sampled_from("ab *_`~[]()<>!{}\\&\"'/:#.\n^|%-="), max_size=60)


@given(noise | st.text(max_size=30), st.booleans())
def test_any_text_keeps_its_order_and_its_places(text: str, expressions: bool) -> None:
    dialect = Dialect(
        references={"a": Target("b", None)}, closed=frozenset("ab"), expressions=expressions
    )
    found, _ = read_inline(text, dialect)
    places = [found.place(position) for position in range(len(found.text))]
    assert places == sorted(places)
    for number, (start, place) in enumerate(zip(found.starts, found.places, strict=True)):
        end = found.starts[number + 1] if number + 1 < len(found.starts) else len(found.text)
        if found.exact[number]:
            assert found.text[start:end] == text[place : place + end - start]


def test_an_address_ends_before_a_quote_that_is_written_as_an_entity() -> None:
    page = read("As &quot;https://a.example:81&quot; or http://b.example/?x=1&amp;y=2 here.\n")
    assert [link.target for link in page.links] == [
        "https://a.example:81",
        "http://b.example/?x=1&amp;y=2",
    ]
    assert shape(page)[0][1].startswith('As "https://a.example:81" or')


def test_a_run_may_close_in_two_steps() -> None:
    assert shape(read("***One** two* and **three*.\n")) == [("paragraph", "One two and *three.")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run at <time> on <host>", "run at <time> on <host>"),
        ("run `at <time>` and `<b>x</b>`", "run at <time> and <b>x</b>"),
        ("<title> of <your-name>, <OPTION>", "<title> of <your-name>, <OPTION>"),
        ("at <time>noon</time>", "at noon"),
        ("`</time>` closes <time>", "</time> closes <time>"),
        ("at <time datetime='12:00'> or <input disabled> or <link/>", "at or or"),
        ("<b>bold <i>words <br> here", "bold words here"),
    ],
)
def test_a_placeholder_named_like_an_element_is_text(text: str, expected: str) -> None:
    assert plain(text, Dialect(closed=closed_names(text))) == expected


def test_a_page_shows_its_placeholders() -> None:
    page = "# Jobs\n\nA job runs at <time>.\n\n<time>\n\n- `at <time>`\n- <name>\n"
    assert "A job runs at <time>." in read(page).text
    (chunk,) = Chunker().chunks(read(page))
    assert chunk.plain.count("<time>") == 3
    assert "<name>" in chunk.plain
