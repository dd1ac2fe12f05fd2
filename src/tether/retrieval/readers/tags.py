"""HTML and JSX tags inside Markdown: where they are, and what of them a reader would see.

The patterns are possessive and stop at the next `<`, so that no input makes them look at the same
characters more than a few times.
"""

from __future__ import annotations

import re
from html import unescape

TAG = re.compile(
    r"<(?P<slash>/?)(?P<name>[A-Za-z][\w.-]*+(?::[\w.-]++)?)(?=[\s/>])"
    r"(?P<attributes>(?:[^<>\"'{}]|\"[^\"<]*+(?:(?<=\{\{)<[^{}]{0,300}+\}\}[^\"<]*+){0,4}+\""
    r"|'[^'<]*+'|\{(?:[^{}<]|\{[^{}<]*+\})*+\})*+)>"
)
_CLOSER = re.compile(r"</([A-Za-z][\w.:-]*+)")
_ATTRIBUTE = re.compile(
    r"(?<![\w:-])([\w:-]++)\s*+=\s*+\{?"
    r"(?:\"([^\"<]*+(?:(?<=\{\{)<[^{}]{0,300}+\}\}[^\"<]*+)*+)\"|'([^']*+)')"
)
_SHOWN = {"img": ("alt",), "image": ("alt",), "video": ("title",), "input": ("value",)}
_SHOWN_OF_COMPONENTS = ("label", "title", "summary", "header", "heading", "name", "caption", "alt")
_INLINE_NAMES = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp"
    " small span strike strong sub sup time tt u var wbr"
)
_OTHER_NAMES = (
    "address article aside audio base blockquote body br button canvas caption center col colgroup"
    " dd details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset"
    " h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input legend li link main map menu"
    " meta nav noscript object ol optgroup option output p param picture pre progress script search"
    " section select source style summary svg table tbody td template textarea tfoot th thead title"
    " tr track ul video path g rect circle line"
)
_INLINE = frozenset(_INLINE_NAMES.split())
_OTHER = frozenset(_OTHER_NAMES.split())
_KNOWN = _INLINE | _OTHER


def closed_names(text: str) -> frozenset[str]:
    """Return the names that have a closing tag somewhere: those are tags, whatever they are."""
    return frozenset(match[1] for match in _CLOSER.finditer(text))


def is_tag(match: re.Match[str], closed: frozenset[str]) -> bool:
    """Return whether a match is markup, and not a placeholder such as `<your-name>` or `Vec<T>`."""
    name, attributes = match["name"], match["attributes"]
    if match["slash"] or name.lower() in _KNOWN or name in closed:
        return True
    return attributes.rstrip().endswith("/") or "=" in attributes


def attributes_of(match: re.Match[str]) -> dict[str, str]:
    """Return the attributes with quoted values, names in small letters."""
    found = _ATTRIBUTE.finditer(match["attributes"])
    return {part[1].lower(): unescape(part[2] or part[3] or "") for part in found}


def shown_by(match: re.Match[str]) -> str:
    """Return the words that a tag itself shows: an image's alt, the label of a tab, a card's title.

    Of HTML elements only some attributes are shown, of components those that name them.
    """
    name = match["name"]
    if match["slash"] or "=" not in match["attributes"]:
        return ""
    component = name[0].isupper() or name.lower() not in _KNOWN
    wanted = _SHOWN.get(name.lower(), _SHOWN_OF_COMPONENTS if component else ())
    if not wanted:
        return ""
    attributes = attributes_of(match)
    return next((attributes[key].replace("`", "") for key in wanted if attributes.get(key)), "")


def separates(match: re.Match[str]) -> bool:
    """Return whether the words before and after the tag are apart, as in cells and paragraphs."""
    return match["name"].lower() not in _INLINE
