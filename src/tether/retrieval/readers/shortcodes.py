"""Template tags inside Markdown: Hugo's shortcodes and the tags of Liquid and Jinja."""

from __future__ import annotations

import re

SHORTCODE = re.compile(
    r"\{\{(?P<kind>[<%])\s*+(?P<slash>/?)\s*+(?P<name>[\w./-]*+)(?P<parameters>[^{}]*+)\}\}"
    r"|\{%-?(?P<liquid>[^{}%]*+)%\}"
)
_PARAMETER = re.compile(r"(?:([\w-]++)\s*+=\s*+)?(?:\"([^\"]*+)\"|`([^`]*+)`|([^\s\"`=>%]++))")
_SILENT = frozenset({"tabs", "tabpane", "table", "ref", "relref", "include"})
_SHOWN = ("text", "title", "caption", "alt", "name", "label", "heading")
# What the Kubernetes site shows for its heading shortcodes: they stand for whole headings.
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


def shown_by(match: re.Match[str]) -> str:
    """Return the words that a shortcode puts on the page, as far as it carries them itself."""
    if match["liquid"] is not None or match["slash"] or match["name"] in _SILENT:
        return ""
    parameters = _parameters(match["parameters"])
    if match["name"] == "heading":
        return _HEADINGS.get(parameters.get("", ""), parameters.get("", ""))
    if shown := next((parameters[key] for key in _SHOWN if parameters.get(key)), ""):
        return shown
    if match["name"] == "glossary_tooltip":
        return parameters.get("term_id", "").replace("-", " ")
    return ""


def target_of(written: str) -> str:
    """Return what a link leads to: of `{{< ref "docs/intro.md" >}}` the page that it names."""
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
