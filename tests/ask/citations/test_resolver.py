"""The passages that a target names; a target that only looks like one names nothing."""

from __future__ import annotations

import pytest

from ask.citations.passages import EVIDENCE, passage
from tether.ask.citations.resolver import Resolver
from tether.ask.citations.tokens import Token

CYRILLIC_O = "\u043e"
SITE = (
    passage(1, "One.", "site/a.md", title="Alpha", url="https://ok.example/docs/a", anchor="top"),
    passage(2, "Two.", "site/a.md", title="Alpha", url="https://ok.example/docs/a", anchor="end"),
    passage(3, "Three.", "site/b%20c.md", title="Beta", url="https://ok.example/docs/b%20c"),
    passage(4, "Four.", "https://ok.example/plain?page=2", title="Same"),
    passage(5, "Five.", "deep/er/a.md", title="Same"),
    passage(6, "Six.", "guide/index.md", title="Guide"),
    passage(7, "Seven.", "caf\u00e9.md", title="Caf\u00e9"),
)


def means(target: str, text: str = "it") -> list[int]:
    token = Token(kind="link", text=text, raw="", target=target)
    return [one.number for one in Resolver(SITE).resolve(token)]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("https://ok.example/docs/a#top", [1, 2]),
        ("https://ok.example/docs/a#end", [2, 1]),
        ("https://ok.example/docs/a#wrong", [1, 2]),
        ("https://ok.example/docs/a", [1, 2]),
        ("https://ok.example/docs/a/", [1, 2]),
        ("HTTPS://OK.example/docs/a", [1, 2]),
        ("/docs/a", [1, 2]),
        ("docs/a.html", [1, 2]),
        ("site/a.md", [1, 2]),
        ("./site/a.md#top", [1, 2]),
        ("er/a", [5]),
        ("a", [1, 2, 5]),
        ("a.md", [1, 2, 5]),
        ("#end", [2]),
        ("https://ok.example/docs/b%20c", [3]),
        ("https://ok.example/docs/b c", [3]),
        ("https://ok.example/plain?page=2", [4]),
        ("guide/", [6]),
        ("/guide", [6]),
        ("guide/index.html", [6]),
        ("caf%C3%A9", [7]),
        ("caf\u00e9.md", [7]),
    ],
)
def test_what_small_models_write_resolves(target: str, expected: list[int]) -> None:
    assert means(target) == expected


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java&#9;script:alert(1)",
        "&#x6A;avascript:alert(1)",
        " javascript:alert(1)",
        "\x01javascript:alert(1)",
        "data:text/html,<script>",
        "vbscript:x",
        "file:///site/a.md",
        "blob:https://ok.example/docs/a",
        "view-source:https://ok.example/docs/a",
        "intent:site/a.md",
        "ftp://ok.example/docs/a",
        "http://ok.example/docs/a",
        "https://ok.example/docs/%2e%2e/docs/a",
        "https://ok.example/docs/../docs/a",
        "https://ok.example/./docs/a",
        "https://ok.example//docs/a",
        "https://ok.example/docs/a;x",
        "https://ok.example/docs%2fa",
        "https://ok.example/docs%5ca",
        "https://ok.example/docs/%2561",
        "https://ok.example/docs/%61",
        "https://ok.example/docs/a?x",
        "https://ok.example/plain?page=3",
        f"https://{CYRILLIC_O}k.example/docs/a",
        "https://xn--k-tlb.example/docs/a",
        "https://ok\u3002example/docs/a",
        "https://o\u00adk.example/docs/a",
        "https://ok.example@evil.example/docs/a",
        "https://ok.example.evil.example/docs/a",
        "https://ok.example:8443/docs/a",
        "https://evil.example/https://ok.example/docs/a",
        "https://evil.example\\@ok.example/docs/a",
        "https:ok.example/docs/a",
        "https:///ok.example/docs/a",
        "//ok.example/docs/a",
        "//evil/a",
        "\\\\evil\\a",
        "/\\evil",
        "site\\a.md",
        "../site/a.md",
        "docs/../site/a.md",
        "docs//a",
        "nowhere",
        "#nowhere",
        "",
        "/",
        "mailto:a@ok.example",
    ],
)
def test_what_looks_like_a_page_is_a_phantom(target: str) -> None:
    assert means(target) == []


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("Beta", "", [3]),
        ("`Beta`", "wrong/path", [3]),
        ("beta", "wrong", [3]),
        ("Same", "", []),
        ("Unknown", "", []),
        ("", "", []),
        ("Beta", "https://evil.example/beta", []),
        ("Beta", "//evil.example", []),
        ("Beta", "javascript:beta", []),
        ("Beta", "../beta", []),
        ("Beta", "x\\y", []),
    ],
)
def test_a_title_resolves_where_it_is_one_page(text: str, target: str, expected: list[int]) -> None:
    assert means(target, text) == expected


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("https://ok.example/docs/a", "https://ok.example/docs/a", [1, 2]),
        ("https://ok.example/docs/a", "site/a.md", [1, 2]),
        ("https://ok.example/docs/a", "site/b%20c.md", []),
        ("https://evil.example", "https://ok.example/docs/a", []),
        ("https://ok.example/docs/a", "https://evil.example", []),
        ("www.evil.example", "site/a.md", []),
    ],
)
def test_text_that_looks_like_an_address_is_the_target(
    text: str, target: str, expected: list[int]
) -> None:
    assert means(target, text) == expected


@pytest.mark.parametrize(
    ("numbers", "expected"), [((1,), [1]), ((1, 3), [1, 3]), ((1, 9), []), ((9,), [])]
)
def test_numbers_name_passages_of_this_turn(numbers: tuple[int, ...], expected: list[int]) -> None:
    token = Token(kind="number", text="", raw="", numbers=numbers)

    assert [one.number for one in Resolver(EVIDENCE).resolve(token)] == expected


def test_other_tokens_mean_nothing() -> None:
    token = Token(kind="image", text="x", raw="", target="https://ok.example/docs/a")

    assert Resolver(SITE).resolve(token) == ()
