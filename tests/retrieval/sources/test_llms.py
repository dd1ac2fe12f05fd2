from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.sources.shelf import items, states
from retrieval.sources.web import Answer, Web, offline, page
from tether.retrieval.errors import SourceUnavailable
from tether.retrieval.sources.fetch import PatientFetch
from tether.retrieval.sources.llms import (
    ListedPage,
    LlmsTxtSource,
    full_pages,
    listed_pages,
    twin_of,
)
from tether.retrieval.sources.site import SiteSettings

SITE = "https://a.example"
FULL = f"{SITE}/llms-full.txt"
LIST = f"{SITE}/llms.txt"


def source(
    url: str, answers: dict[str, Answer], known: dict[str, str] | None = None, **settings: object
) -> tuple[LlmsTxtSource, Web]:
    web = Web(answers)
    fetch = PatientFetch(web, sleep=lambda _: None)
    chosen = SiteSettings(**settings)  # type: ignore[arg-type]
    return LlmsTxtSource(url, fetch, settings=chosen, known=known), web


def plain(text: str) -> Answer:
    return page(text, "text/plain")


WITH_SOURCES = """Everything in one file.

# Welcome
Source: https://a.example/welcome

Some text.

```sh
# not a heading
Source: not an address
```

## Part

# Guide

**URL:** <https://a.example/guide>

More text.
"""

WITH_FRONT_MATTER = """---
url: /a.md
description: The first.
---

# A

Text of A.

---
title: B
url: "/b.md"
---
# B

Text of B.

---

A rule is not a page.
"""

WITH_HEADINGS = """# One

Text.

```
# a comment
```

# Two

# One
"""


class TestTheFullFile:
    def test_pages_that_name_their_address(self) -> None:
        found, web = source(FULL, {FULL: plain(WITH_SOURCES)})
        pages = items(found)
        assert list(pages) == [f"{FULL}#start", f"{SITE}/welcome", f"{SITE}/guide"]
        assert pages[f"{SITE}/guide"].load().startswith(b"# Guide")
        assert b"# not a heading" in pages[f"{SITE}/welcome"].load()
        assert pages[f"{SITE}/guide"].url == f"{SITE}/guide"
        assert pages[f"{FULL}#start"].url == FULL
        assert {item.name for item in pages.values()} == {"page.md"}
        assert web.asked == [FULL]

    def test_pages_with_front_matter(self) -> None:
        found, _ = source(FULL, {FULL: plain(WITH_FRONT_MATTER)})
        pages = items(found)
        assert list(pages) == [f"{SITE}/a.md", f"{SITE}/b.md"]
        assert pages[f"{SITE}/b.md"].load().startswith(b"---\ntitle: B")
        assert b"A rule is not a page." in pages[f"{SITE}/b.md"].load()

    def test_headings_begin_pages_where_nothing_else_does(self) -> None:
        found, _ = source(FULL, {FULL: plain(WITH_HEADINGS)})
        pages = items(found)
        assert list(pages) == [f"{FULL}#one", f"{FULL}#two", f"{FULL}#one-2"]
        assert b"# a comment" in pages[f"{FULL}#one"].load()

    def test_a_file_without_any_habit_is_one_page(self) -> None:
        found, _ = source(FULL, {FULL: plain("Just text.\n## Part\n")})
        (item,) = items(found).values()
        assert (item.key, item.load()) == (f"{FULL}#start", b"Just text.\n## Part\n")

    def test_an_unchanged_page_has_the_same_version(self) -> None:
        before, _ = source(FULL, {FULL: plain(WITH_SOURCES)})
        after, _ = source(FULL, {FULL: plain(WITH_SOURCES.replace("More", "Other"))})
        changed = {
            key for key, item in items(after).items() if item.version != items(before)[key].version
        }
        assert changed == {f"{SITE}/guide"}

    def test_the_same_address_twice(self) -> None:
        text = "# A\nSource: https://a.example/a\n\n# A\nSource: https://a.example/a\n"
        found, _ = source(FULL, {FULL: plain(text)})
        assert list(items(found)) == [f"{SITE}/a", f"{SITE}/a#2"]

    @given(
        st.lists(
            st.sampled_from(
                ["# A", "Source: https://a.example/x", "", "---", "url: /y", "```", "text"]
            )
        )
    )
    def test_the_pages_together_are_the_file(self, lines: list[str]) -> None:
        text = "\n".join(lines)
        joined = "".join(found.text for found in full_pages(text))
        assert joined == text or not text.removesuffix(joined).strip()

    def test_only_so_many_pages(self) -> None:
        found, _ = source(FULL, {FULL: plain("# A\n" * 20)}, max_pages=10)
        with pytest.raises(SourceUnavailable, match="more than 10 pages"):
            list(found.scan())


class TestTheList:
    TEXT = """# Site

> What it is about.

- [Start](/start): begin here

## Guides

- [One](https://a.example/one.md): first
* [Two]( two.html "title" )
- no link
- [Self](llms.txt)
- [Again](/start#part)
- [Elsewhere](https://b.example/x)
- [Broken](http://[x)
- [Mail](mailto:a@a.example)
- [Private](/private)

```
- [Code](/code)
```

## Optional

- [Three](/three/)
"""

    def test_links_with_titles_and_sections(self) -> None:
        found = list(listed_pages(self.TEXT))
        assert found[0] == ListedPage(address="/start", title="Start", section="")
        assert found[1].section == "Guides"
        assert found[2].address == "two.html"
        assert found[-1] == ListedPage(address="/three/", title="Three", section="Optional")
        assert "/code" not in [listed.address for listed in found]

    def test_pages_are_read_and_others_skipped(self) -> None:
        answers: dict[str, Answer] = {
            LIST: plain(self.TEXT),
            f"{SITE}/robots.txt": plain("User-agent: *\nDisallow: /private"),
            f"{SITE}/start": "S",
            f"{SITE}/one.md": page("1", "text/markdown"),
            f"{SITE}/two.html": "2",
            f"{SITE}/three/": "3",
        }
        found, web = source(LIST, answers)
        assert list(items(found)) == [
            *(f"{SITE}/start", f"{SITE}/one.md", f"{SITE}/two.html", f"{SITE}/three/")
        ]
        assert states(found) == {
            "https://b.example/x": "skipped: it is on the host b.example, "
            "which is not one of this source",
            "http://[x": "skipped: it is not the URL of a page",
            "mailto:a@a.example": "skipped: it is not the URL of a page",
            f"{SITE}/private": "skipped: robots.txt asks not to read it",
        }
        assert [asked for asked in web.asked if asked.endswith(".md")].count(
            f"{SITE}/start.md"
        ) == 2  # once for each scan: without a first twin no other is looked for

    def test_markdown_is_read_where_the_site_has_it(self) -> None:
        answers: dict[str, Answer] = {
            LIST: plain("- [M](/m.md)\n- [A](/a)\n- [B](/b)\n- [C](/c)"),
            f"{SITE}/robots.txt": plain("User-agent: *\nDisallow: /c.md"),
            f"{SITE}/m.md": page("M", "text/markdown"),
            f"{SITE}/a": "<p>A",
            f"{SITE}/a.md": page("# A", "text/markdown", etag="1"),
            f"{SITE}/b": "<p>B",
            f"{SITE}/c": "<p>C",
        }
        found, _ = source(LIST, answers)
        pages = items(found)
        assert [item.load() for item in pages.values()] == [b"M", b"# A", b"<p>B", b"<p>C"]
        first = pages[f"{SITE}/a"]
        assert (first.url, first.name) == (f"{SITE}/a", "a.md")
        again, _ = source(LIST, answers, known={f"{SITE}/a": first.version})
        assert items(again)[f"{SITE}/a"] == first

    @pytest.mark.parametrize("twin", [offline(), page("<!doctype html>", "text/plain"), page("x")])
    def test_a_page_for_people_is_no_twin(self, twin: Answer) -> None:
        answers: dict[str, Answer] = {LIST: plain("- [A](/a)"), f"{SITE}/a": "A"}
        found, _ = source(LIST, {**answers, f"{SITE}/a.md": twin})
        assert items(found)[f"{SITE}/a"].load() == b"A"

    def test_only_so_many_pages(self) -> None:
        found, _ = source(LIST, {LIST: plain("- [A](/a)\n" * 20)}, max_pages=10)
        with pytest.raises(SourceUnavailable, match="more than 10 pages"):
            list(found.scan())


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (page(status=404), "status 404"),
        (page("<html>", "text/plain"), "a page of HTML"),
        (page("# Site", "text/html"), "a page of HTML"),
        (offline(), "the connection failed"),
    ],
    ids=["gone", "body", "type", "offline"],
)
def test_a_file_that_is_not_there_prunes_nothing(answer: Answer, why: str) -> None:
    found, _ = source(FULL, {FULL: answer})
    with pytest.raises(SourceUnavailable, match=why):
        list(found.scan())
    assert found.name == FULL


@pytest.mark.parametrize(
    ("address", "twin"),
    [
        (f"{SITE}/a", f"{SITE}/a.md"),
        (f"{SITE}/a.html", f"{SITE}/a.html.md"),
        (f"{SITE}/a/", f"{SITE}/a/index.html.md"),
        (f"{SITE}/a.md", ""),
        (f"{SITE}/a?b", ""),
    ],
)
def test_where_the_markdown_of_a_page_would_be(address: str, twin: str) -> None:
    assert twin_of(address) == twin


@given(st.text())
def test_any_text_is_a_list(text: str) -> None:
    list(listed_pages(text))


def test_pages_bring_the_titles_of_the_list() -> None:
    listed = f"- [The guide]({SITE}/guide.txt)\n- [Twin]({SITE}/twin)\n"
    answers = {
        LIST: plain(listed),
        f"{SITE}/robots.txt": page(status=404),
        f"{SITE}/guide.txt": plain("words"),
        f"{SITE}/twin": page("<p>words"),
    }
    found = items(source(LIST, answers)[0])
    assert [found[f"{SITE}/{name}"].title for name in ("guide.txt", "twin")] == [
        "The guide",
        "Twin",
    ]
    full = items(source(FULL, {FULL: plain(WITH_SOURCES)})[0])
    assert full[f"{SITE}/welcome"].title == "Welcome"
