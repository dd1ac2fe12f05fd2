"""What the head of a page says about it."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from tether.retrieval.readers.html_content import attribute

_LONGEST = 500


class Head(NamedTuple):
    """A page's own words about itself; "" for what it does not say."""

    title: str
    description: str
    canonical: str
    language: str
    base: str
    is_draft: bool


def head_of(page: LexborHTMLParser, url: str) -> Head:
    """Return what a page says. Its canonical address counts only on the host it came from."""
    root = page.root
    return Head(
        title=_meta(page, "meta[property='og:title']") or _title(page),
        description=_meta(page, "meta[name=description]"),
        canonical=_canonical(page, url),
        language=_language(attribute(root, "lang") if root is not None else ""),
        base=_attribute(page, "base[href]", "href"),
        is_draft="noindex" in _meta(page, "meta[name=robots]").lower(),
    )


def shown_title(head: Head, first_heading: str) -> str:
    """Return the title of a page: without the name of the site, where the heading tells."""
    if not head.title or (first_heading and head.title.startswith(first_heading)):
        return first_heading
    return head.title


def _title(page: LexborHTMLParser) -> str:
    node = page.css_first("head > title, title")
    return " ".join(node.text(deep=True).split())[:_LONGEST] if node is not None else ""


def _meta(page: LexborHTMLParser, selector: str) -> str:
    return " ".join(_attribute(page, selector, "content").split())[:_LONGEST]


def _attribute(page: LexborHTMLParser, selector: str, name: str) -> str:
    node = page.css_first(selector)
    return attribute(node, name) if node is not None else ""


def _language(declared: str) -> str:
    code = declared.split("-", maxsplit=1)[0].split("_", maxsplit=1)[0].lower()
    return code if len(code) == 2 and code.isascii() and code.isalpha() else ""


def _canonical(page: LexborHTMLParser, url: str) -> str:
    """Return the address that a page wants to be known by, unless it points to another host.

    A page that could choose any address would be cited as somebody else's.
    """
    try:
        address = urljoin(url, _attribute(page, "link[rel=canonical]", "href"))
        named, own = urlsplit(address), urlsplit(url)
    except ValueError:
        return ""
    if named.scheme not in ("http", "https") or not named.netloc:
        return ""
    return address if not own.netloc or own.netloc == named.netloc else ""
