"""Where the text of a passage begins: behind its front matter, or behind code that was cut."""

from __future__ import annotations

import re

LONGEST_FRONT_MATTER = 8_000

_FRONT_MATTER = re.compile(
    r"\s*(?P<fence>---|\+\+\+)[ \t]*\n"
    rf"(?P<body>.{{0,{LONGEST_FRONT_MATTER}}}?)\n(?P=fence)[ \t]*(?:\n|$)",
    re.DOTALL,
)
_TITLE = re.compile(r"^title\s*[:=]\s*[\"']?(?P<title>[^\"'\n]*[^\"'\n\s])", re.MULTILINE)
_FENCE_LINE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})(?P<info>.*)$", re.MULTILINE)


def start_of(text: str) -> tuple[int, tuple[int, int] | None]:
    """Return where reading starts, and the span of the title that the front matter gives."""
    front = _FRONT_MATTER.match(text)
    if front is None:
        return _end_of_cut_code(text), None
    title = _TITLE.search(text, front.start("body"), front.end("body"))
    return front.end(), None if title is None else title.span("title")


def _end_of_cut_code(text: str) -> int:
    """Return where the code ends in whose midst a passage begins: 0 if in none.

    It does if the fences are odd in number, and the first closes: it says no language, and stands
    right below a line that leads to no code.
    """
    fences = list(_FENCE_LINE.finditer(text))
    if len(fences) % 2 == 0 or fences[0]["info"].strip():
        return 0
    above = text[: fences[0].start()].removesuffix("\n").rpartition("\n")[2].rstrip()
    is_followed = text[fences[0].end() :].strip() != ""
    return fences[0].end() if above and above[-1] not in ".:" and is_followed else 0
