"""Front matter: what a page says about itself above its text, in YAML, TOML or JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import yaml

from tether.retrieval.readers.front_matter_fields import (
    Fields,
    json_fields,
    line_fields,
    plain_fields,
    toml_fields,
    yaml_fields,
)

MOST_CHARACTERS = 256 * 1024

_FENCES = {"---": r"---|\.\.\.", "+++": r"\+\+\+", ";;;": ";;;"}
_OPEN = re.compile(r"(---|\+\+\+|;;;)[ \t]*(?:\r\n|\r|\n)")
_TRUE = frozenset({"true", "yes", "on", "1", "y"})
_FALSE = frozenset({"false", "no", "off", "0", "n"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """The fields of a page, names in small letters, and where its text begins."""

    end: int = 0
    fields: Fields = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def first(self, *names: str) -> str:
        """Return the value of the first of these fields that has one, else ""."""
        return next((self.fields[name][0] for name in names if self.fields.get(name)), "")

    @property
    def is_draft(self) -> bool:
        """Whether the page asks not to be published."""
        published = self.first("published", "publish").lower()
        return self.first("draft").lower() in _TRUE or published in _FALSE


def read_front_matter(text: str) -> FrontMatter:
    """Return the front matter of a page; an empty one where there is none or it is never closed.

    What cannot be read is left out with a note: it never costs the page. Where the YAML is broken
    (a title with a colon, most often) the lines that are simple are still read.
    """
    if text.startswith("{"):
        return _json_object(text)
    opening = _OPEN.match(text)
    if opening is None:
        return FrontMatter()
    pattern = rf"^(?:{_FENCES[opening[1]]})[ \t]*(?:\r\n|\r|\n|\Z)"
    closing = re.compile(pattern, re.MULTILINE).search(text, opening.end())
    if closing is None:
        return FrontMatter()
    body = text[opening.end() : closing.start()]
    if len(body) > MOST_CHARACTERS:
        return FrontMatter(end=closing.end(), notes=("front matter left out: it is too long",))
    return _read(opening[1], body, closing.end())


def _read(mark: str, body: str, end: int) -> FrontMatter:
    readers = {"---": yaml_fields, "+++": toml_fields, ";;;": json_fields}
    try:
        fields = readers[mark](body)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        fields = line_fields(body) if mark == "---" else {}
        if mark == "---" and not fields:
            return FrontMatter()
        return FrontMatter(end=end, fields=fields, notes=(f"front matter: {_reason(error)}",))
    return FrontMatter() if fields is None else FrontMatter(end=end, fields=fields)


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    problem = getattr(error, "problem", None) or str(error)
    return " ".join(problem.split())[:200]


def _json_object(text: str) -> FrontMatter:
    """Read the JSON object that a page may begin with; a page that begins otherwise has none."""
    try:
        values, end = json.JSONDecoder().raw_decode(text[:MOST_CHARACTERS])
    except (ValueError, RecursionError):
        return FrontMatter()
    return FrontMatter(end=end, fields=plain_fields(values))
