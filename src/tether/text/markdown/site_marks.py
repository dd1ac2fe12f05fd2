"""Markup that site builders add to Markdown: tags, shortcodes, and marks of lines.

The patterns are possessive and stop at the next `<`, so that no input makes them look at the same
characters more than a few times.
"""

from __future__ import annotations

import re
from html import unescape

from tether.text.html.elements import BLOCKS, INLINE, VOID
from tether.text.markdown.marks import LINE_CODE

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
_SHOWN_BY_TAGS = {"img": ("alt",), "image": ("alt",), "video": ("title",), "input": ("value",)}
_SHOWN_OF_COMPONENTS = ("label", "title", "summary", "header", "heading", "name", "caption", "alt")
_OTHER_NAMES = (
    "audio button canvas frameset head iframe map noscript object optgroup option output progress"
    " script select style svg template textarea title video path g rect circle line"
)
_KNOWN = INLINE | BLOCKS | (VOID - {"area"}) | frozenset(_OTHER_NAMES.split())
_PLACEHOLDER_NAMES = (
    "address audio base button canvas caption col data dialog dir embed form frame iframe image img"
    " input label legend line link map menu meta object option output param path progress search"
    " select source template textarea time title track var video"
)
_PLACEHOLDERS = frozenset(_PLACEHOLDER_NAMES.split())
"""Elements that say nothing without attributes or an end, and whose names are words of commands."""

SHORTCODE = re.compile(
    r"\{\{(?P<kind>[<%])\s*+(?P<slash>/?)\s*+(?P<name>[\w./-]*+)(?P<parameters>[^{}]*+)\}\}"
    r"|\{%-?(?P<liquid>[^{}%]*+)%\}"
)
_PARAMETER = re.compile(r"(?:([\w-]++)\s*+=\s*+)?(?:\"([^\"]*+)\"|`([^`]*+)`|([^\s\"`=>%]++))")
_SILENT = frozenset({"tabs", "tabpane", "table", "ref", "relref", "include"})
_SHOWN_BY_SHORTCODES = ("text", "title", "caption", "alt", "name", "label", "heading")
# The headings that the Kubernetes site shows for its heading shortcodes.
_HEADINGS = {
    "prerequisites": "Before you begin",
    "objectives": "Objectives",
    "cleanup": "Cleaning up",
    "whatsnext": "What's next",
    "examples": "Examples",
    "synopsis": "Synopsis",
    "options": "Options",
    "seealso": "See Also",
    "parentoptions": "Options inherited from parent commands",
    "environment": "Environment variables",
}
DIRECTIVE = re.compile(r"\{(?P<name>[\w:-]+)\}[ \t]*(?P<title>.*)")
CODE_DIRECTIVES = re.compile(r"(?:code|literalinclude|toctree|eval-rst|math|image|include|mermaid)")
ADMONITION = re.compile(
    r"(?:!!!|\?\?\?\+?)[ \t]++[\w:.-]++(?:[ \t]++[\w:.-]++)*+[ \t]*+"
    r"(?:\"(?P<title>[^\"]*+)\")?[ \t]*+"
    r"|===[+!]?[ \t]++\"(?P<tab>[^\"]*+)\"[ \t]*+"
)
CONTAINER = re.compile(
    r"(?::{3,}+|/{3,}+)[ \t]*+(?:\{[\w:-]++\}|[A-Za-z][\w:-]*+)?"
    r"(?:\[(?P<bracketed>[^\[\]]*+)\])?[ \t]*+\|?[ \t]*+(?P<title>[^{}]*+)(?:\{[^{}]*+\})?+[ \t]*+"
)
HEADING = re.compile(r"<h([1-6])\b[^<>]*>.*</h\1\s*>\s*", re.IGNORECASE)
OPTION = re.compile(r"(?: {4}|\t)[\w-]+:[ \t]*\S.*|:[\w-]+:.*")
CODE_OPTION = re.compile(r"[ \t]*+:[\w-]++:.*")
CONTENTS = re.compile(
    r"\([\w.:-]+\)=|\[\[?_?toc_?\]?\]|\{:toc\}|\{\{ *toc *\}\}|\{\*[^{}*]++\*\}"
    r"|\{\{#[^{}]++\}\}",
    re.IGNORECASE,
)
INCLUDE = re.compile(r"\{\{#[^{}]++\}\}")
VERBATIM = re.compile(
    r"<pre\b[^<>]*+>|\{\{[<%]\s*+(?:highlight|mermaid)\b[^{}]*+\}\}(?=[ \t]*+$)", re.IGNORECASE
)
VERBATIM_FENCE = "~" * len("<pre>")
"""At most as long as the tag that it replaces and as the tag that closes the code."""
VERBATIM_ENDS = {
    "<": re.compile(r"</pre\s*>", re.IGNORECASE),
    "{": re.compile(r"\{\{[<%]\s*/\s*(?:highlight|mermaid)\s*[>%]\}\}", re.IGNORECASE),
}
MODULE = re.compile(r"(?:import|export)\b(?=[ \t{*'\"])")
INLINE_SHORTCODE = re.compile(r"\{\{[<%]\s*(?:glossary_tooltip|skew|param|ref|relref)\b")


def closed_names(text: str) -> frozenset[str]:
    """Return the names that have a closing tag somewhere: those are tags, whatever they are.

    A closing tag in a code span closes nothing.
    """
    bare = LINE_CODE.sub("", text) if "</" in text and "`" in text else text
    return frozenset(match[1] for match in _CLOSER.finditer(bare))


def is_tag(match: re.Match[str], closed: frozenset[str]) -> bool:
    """Return whether a match is markup, and not a placeholder such as `<your-name>` or `Vec<T>`.

    `<time>` is one too where it has no attributes and the text no `</time>`. Elements that format
    or arrange text are markup in any case: their end may be in another passage, or left out.
    """
    name, attributes = match["name"], match["attributes"]
    if match["slash"] or name in closed:
        return True
    if name.lower() in _KNOWN:
        return name.lower() not in _PLACEHOLDERS or attributes.strip() != ""
    return attributes.rstrip().endswith("/") or "=" in attributes


def attributes_of(match: re.Match[str]) -> dict[str, str]:
    """Return the attributes with quoted values, names in small letters."""
    found = _ATTRIBUTE.finditer(match["attributes"])
    return {part[1].lower(): unescape(part[2] or part[3] or "") for part in found}


def shown_by_tag(match: re.Match[str]) -> str:
    """Return the words that a tag itself shows: an image's alt, the label of a tab, a card's title.

    Of HTML elements only some attributes are shown, of components those that name them.
    """
    name = match["name"]
    if match["slash"] or "=" not in match["attributes"]:
        return ""
    component = name[0].isupper() or name.lower() not in _KNOWN
    wanted = _SHOWN_BY_TAGS.get(name.lower(), _SHOWN_OF_COMPONENTS if component else ())
    if not wanted:
        return ""
    attributes = attributes_of(match)
    return next((attributes[key].replace("`", "") for key in wanted if attributes.get(key)), "")


def separates(match: re.Match[str]) -> bool:
    """Return whether the words before and after the tag are apart, as in cells and paragraphs."""
    return match["name"].lower() not in INLINE


def shown_by_shortcode(match: re.Match[str]) -> str:
    """Return the words on the page that a shortcode itself contains."""
    if match["liquid"] is not None or match["slash"] or match["name"] in _SILENT:
        return ""
    parameters = _parameters(match["parameters"])
    if match["name"] == "heading":
        return _HEADINGS.get(parameters.get("", ""), parameters.get("", ""))
    if shown := next((parameters[key] for key in _SHOWN_BY_SHORTCODES if parameters.get(key)), ""):
        return shown
    if match["name"] == "glossary_tooltip":
        return parameters.get("term_id", "").replace("-", " ")
    return ""


def target_of(written: str) -> str:
    """Return the target of a link; for `{{< ref "docs/intro.md" >}}` the page that it names."""
    match = SHORTCODE.match(written)
    if match is None or match["name"] not in ("ref", "relref"):
        return written
    return _parameters(match["parameters"]).get("", "") + written[match.end() :]


def _parameters(text: str) -> dict[str, str]:
    """Return named parameters by their names and the first other one under ""."""
    found: dict[str, str] = {}
    for part in _PARAMETER.finditer(text):
        found.setdefault(part[1] or "", part[2] or part[3] or part[4] or "")
    return found


def shown_by_line(bare: str, closed: frozenset[str]) -> str | None:
    """Return the words that the tags of a line show; None where there is more than tags."""
    shown: list[str] = []
    position = 0
    while position < len(bare):
        if tag := TAG.match(bare, position):
            if not is_tag(tag, closed):
                return None
            shown.append(shown_by_tag(tag))
        else:
            tag = SHORTCODE.match(bare, position)
            if tag is None:
                return None
            shown.append(shown_by_shortcode(tag))
        position = tag.end()
        while position < len(bare) and bare[position].isspace():
            position += 1
    return " ".join(words for words in shown if words)


def indent_of(body: str) -> str:
    """Return the white space at the start of a line."""
    return body[: len(body) - len(body.lstrip(" \t"))]


def width(indent: str) -> int:
    """Return how many columns an indentation takes."""
    return len(indent.expandtabs(4))


def prefix_length(body: str, columns: int) -> int:
    """Return how many characters at the start of a line, which is not blank, fill the columns."""
    count = filled = 0
    while filled < columns and body[count] in " \t":
        filled += 4 - filled % 4 if body[count] == "\t" else 1
        count += 1
    return count
