from __future__ import annotations

import pytest

from tether.retrieval.sources.folder_settings import URL_STYLES, UrlStyle, page_url


@pytest.mark.parametrize(
    ("path", "style", "expected"),
    [
        (b"guide/intro.md", "file", "guide/intro.md"),
        (b"guide/intro.md", "page", "guide/intro"),
        (b"guide/intro.md", "folder", "guide/intro/"),
        (b"guide/intro.rst", "html", "guide/intro.html"),
        (b"guide/index.md", "page", "guide/"),
        (b"guide/_index.md", "folder", "guide/"),
        (b"README.md", "html", ""),
        (b"index.md", "file", "index.md"),
        (b"a.pdf", "page", "a.pdf"),
        (b"a b/\xff?.md", "page", "a%20b/%FF%3F"),
    ],
)
def test_a_file_has_the_address_of_its_page(path: bytes, style: UrlStyle, expected: str) -> None:
    for base in ("https://docs.example.org", "https://docs.example.org/"):
        assert page_url(path, base_url=base, style=style) == f"https://docs.example.org/{expected}"


@pytest.mark.parametrize("style", URL_STYLES)
def test_without_a_place_of_publication_there_is_no_address(style: UrlStyle) -> None:
    assert page_url(b"a.md", base_url="", style=style) == ""
