"""Pages to sections: Markdown and reStructuredText cut at headings, long sections in windows."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

WINDOW_CHARACTERS = 1500

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:\s*['\"]?(.+?)['\"]?\s*$", re.MULTILINE)
_MARKDOWN_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_ANCHOR = re.compile(r"\s*(\{[#.][^}]*\}|<a [^>]*></a>)\s*$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+._:])\1{2,}\s*$")
_SHORTCODE = re.compile(r"\{\{[<%].*?[%>]\}\}", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A piece of a page under one heading, no longer than a window."""

    headings: tuple[str, ...]
    """The path inside the page, outermost first, without the page's title."""
    text: str
    number: int
    """0 for the first window of its section: the one that the heading asks for."""


def page_title(text: str, *, fallback: str) -> str:
    """The title of a Markdown page: front matter, else its first heading, else the fallback."""
    front = _FRONT_MATTER.match(text)
    found = _FRONT_TITLE.search(front.group(1)) if front else None
    if found:
        return found.group(1)
    for line in text.splitlines():
        heading = _MARKDOWN_HEADING.match(line)
        if heading:
            return _ANCHOR.sub("", heading.group(2))
    return fallback


def cut(text: str, *, title: str, restructured: bool) -> Iterator[Section]:
    """All windows of a page in reading order; headings inside code fences do not cut."""
    body = _SHORTCODE.sub("", _FRONT_MATTER.sub("", text))
    blocks = _restructured(body) if restructured else _markdown(body)
    path: list[tuple[int, str]] = []
    for level, heading, block in blocks:
        if heading:
            path = [*(entry for entry in path if entry[0] < level), (level, heading)]
        names = tuple(name for _, name in path if name != title)
        for number, window in enumerate(windows(block)):
            yield Section(headings=names, text=window, number=number)


def windows(block: str) -> Iterator[str]:
    """A block in pieces of at most `WINDOW_CHARACTERS`, cut at blank lines where there are any."""
    held = ""
    for paragraph in re.split(r"\n\s*\n", block.strip()):
        for start in range(0, max(len(paragraph), 1), WINDOW_CHARACTERS):
            piece = paragraph[start : start + WINDOW_CHARACTERS]
            if held and len(held) + len(piece) + 2 > WINDOW_CHARACTERS:
                yield held
                held = piece
            else:
                held = f"{held}\n\n{piece}" if held else piece
    if held.strip():
        yield held


def _markdown(body: str) -> Iterator[tuple[int, str, str]]:
    level, heading, fenced = 0, "", False
    held: list[str] = []
    for line in body.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        found = None if fenced else _MARKDOWN_HEADING.match(line)
        if found is None:
            held.append(line)
            continue
        yield level, heading, "\n".join(held)
        level, heading, held = len(found.group(1)), _ANCHOR.sub("", found.group(2)), []
    yield level, heading, "\n".join(held)


def _restructured(body: str) -> Iterator[tuple[int, str, str]]:
    lines = body.splitlines()
    marks: list[str] = []
    level, heading, start = 0, "", 0
    for at in range(len(lines) - 1):
        name, mark = lines[at].strip(), _UNDERLINE.match(lines[at + 1])
        if not mark or not name or lines[at][0] in " \t" or _UNDERLINE.match(name):
            continue
        if len(lines[at + 1].strip()) < len(name):
            continue
        yield level, heading, "\n".join(lines[start:at])
        if mark.group(1) not in marks:
            marks.append(mark.group(1))
        level, heading, start = marks.index(mark.group(1)) + 1, name, at + 2
    yield level, heading, "\n".join(lines[start:])
