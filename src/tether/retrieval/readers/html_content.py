"""Where the content of a page is, and what around and inside it is furniture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

# The containers of well-known site builders come first: their `main` also holds menus.
_CONTENT = (
    ".theme-doc-markdown",
    ".vp-doc",
    ".sl-markdown-content",
    ".md-content",
    "[itemprop=articleBody]",
    ".rst-content [role=main]",
    "div.body[role=main]",
    ".td-content",
    ".markdown-body",
    "main article",
    "main",
    "[role=main]",
    "article",
    "#main-content",
    "#content",
    ".content",
    "#main",
)
_LEAST_CHARACTERS = 200
_LEAST_SHARE = 0.2

_SKIPPED_NAMES = (
    "area audio base button canvas datalist embed frame frameset head iframe input link map"
    " meta meter nav noembed noframes object optgroup option param progress script select source"
    " style svg textarea title track video"
)
SKIPPED = frozenset(_SKIPPED_NAMES.split())
"""Elements of which nothing is text."""

_AROUND = frozenset(("header", "footer", "aside"))
_ROLES_NAMES = "alertdialog banner complementary contentinfo dialog navigation search"
_ROLES = frozenset(_ROLES_NAMES.split())
_FURNITURE_NAMES = (
    "anchor-link breadcrumb breadcrumbs clipboard-button cookie cookie-banner cookie-consent"
    " cookies copy-button copybtn copybutton edit-link edit-page edit-page-link edit-this-page"
    " editlink feedback hash-link header-anchor headerlink last-updated md-source-file"
    " mdbook-nav nav-chapters nav-wrapper next-prev on-this-page page-edit page-meta page-nav"
    " pager pagination pagination-nav pagination-next pagination-prev permalink prev-next"
    " prevnext related share-buttons sidebar site-footer site-header skip-link skip-to-content"
    " sphinxsidebar table-of-contents td-page-meta theme-doc-breadcrumbs theme-doc-footer"
    " theme-doc-toc-mobile theme-edit-this-page toc toctree-wrapper-nav vp-doc-footer"
    " header-link anchorjs-link md-clipboard md-header md-sidebar md-footer on_this_page"
    " consent-banner gdpr newsletter-signup katex-html gutter hljs-ln-numbers lineno linenodiv"
    " linenos rouge-gutter"
)
_FURNITURE = frozenset(_FURNITURE_NAMES.split())


def content_of(page: LexborHTMLParser) -> tuple[LexborNode | None, bool]:
    """Return the element that holds the content, and whether it is the page's whole body.

    A container counts when there is one of it and it holds a fair part of the page's text; a page
    that lists many articles is taken as a whole.
    """
    body = page.body
    if body is None:
        return None, True
    whole = _length(body)
    for selector in _CONTENT:
        found = page.css(selector)
        if len(found) == 1:
            length = _length(found[0])
            if length >= _LEAST_CHARACTERS or length > _LEAST_SHARE * whole > 0:
                return found[0], False
    return body, True


def _length(node: LexborNode) -> int:
    return len(node.text(deep=True, separator=" ", strip=True))


def is_furniture(tag: str, attributes: Mapping[str, str | None], *, around: bool) -> bool:
    """Return whether an element is part of the site and not of the text.

    Headers, footers and asides are so only `around` the content: inside it they are the title of an
    article, its notes, its warnings.
    """
    if around and tag in _AROUND:
        return True
    if not attributes:
        return False
    if (attributes.get("role") or "").lower() in _ROLES:
        return True
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower().split()
    return not _FURNITURE.isdisjoint(names)


def attribute(node: Any, name: str) -> str:
    """Return an attribute of an element; "" where it has none or no value."""
    return (node.attributes.get(name) or "").strip()
