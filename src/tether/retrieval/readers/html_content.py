"""The content of a page: where it is, which elements are visible, and where headings link to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tether.text.html.visibility import comes_later, is_hidden, is_out_of_sight

# The containers of well-known site builders come first: their `main` contains menus too.
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
_LONGEST_STYLE = 20_000
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
    " linenos rouge-gutter navheader navfooter"
)
_FURNITURE = frozenset(_FURNITURE_NAMES.split())
Attributes = Mapping[str, str | None]
_WRAPPERS = ("section", "div", "article", "header", "hgroup")
_HIGHEST = 5


def content_of(page: LexborHTMLParser) -> tuple[LexborNode | None, bool]:
    """Return the element with the content, and whether it is the page's whole body.

    A container counts when it is the only one and has a fair part of the page's text; a page
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


@dataclass(slots=True)
class Hidden:
    """How much text was left out because it is not visible."""

    places: int = 0
    characters: int = 0

    def count(self, text: str) -> None:
        """Count a place, if there is anything to read in it."""
        length = len("".join(text.split()))
        if length > 1:
            self.places += 1
            self.characters += length


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Finds visible elements. With `around`, the site's furniture is still to be left out."""

    around: bool
    hidden: Hidden = field(default_factory=Hidden)

    def attributes(self, node: LexborNode) -> Attributes | None:
        """Return the attributes of an element that is seen; None for any other node."""
        tag = node.tag or "-"
        if tag[0] in "-!" or tag in SKIPPED:
            return None
        attributes: Attributes = node.attributes
        if is_furniture(tag, attributes, around=self.around):
            return None
        if tag in ("noscript", "template") or _is_unseen(tag, attributes):
            self.hidden.count(all_text(node))
            return None
        return attributes


def _is_unseen(tag: str, attributes: Attributes) -> bool:
    if comes_later(attributes):
        attributes = {name: value for name, value in attributes.items() if name != "hidden"}
    return is_hidden(tag, attributes, longest=_LONGEST_STYLE) or is_out_of_sight(attributes)


def all_text(node: LexborNode) -> str:
    """Return the text of an element with everything in it, seen or not."""
    if node.tag == "template":
        return " ".join(part.text(deep=True) for part in node.template_fragments())
    return node.text(deep=True)


def heading_anchor(heading: LexborNode) -> str:
    """Return the anchor of a heading: its own, that of something in it, or that of its section."""
    return own_anchor(heading) or _of_section(heading)


def own_anchor(node: LexborNode) -> str:
    """Return the anchor of an element, or that of something in it; "" where there is none."""
    if own := attribute(node, "id"):
        return own
    inner = node.css_first("[id], a[name]")
    return (attribute(inner, "id") or attribute(inner, "name")) if inner is not None else ""


def _of_section(heading: LexborNode) -> str:
    """Return the anchor of the section that begins with a heading."""
    node = heading
    for _ in range(_HIGHEST):
        parent = node.parent
        if parent is None or parent.tag not in _WRAPPERS or not _is_first(node):
            return ""
        if found := attribute(parent, "id"):
            return found
        node = parent
    return ""


def _is_first(node: LexborNode) -> bool:
    before = node.prev
    while before is not None:
        is_blank = before.tag == "-text" and not (before.text_content or "").strip()
        if not (is_blank or before.tag == "-comment"):
            return False
        before = before.prev
    return True
