"""The blocks of a model's answer: paragraphs, items, headings, rows and code, line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

BlockKind = Literal["paragraph", "item", "heading", "row", "code", "definition"]

_FENCE = re.compile(r"(?P<indent>[ \t>]*)(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")
_LABEL = r"\[(?:[^\[\]\\]|\\.){1,999}\]:"
_DEFINITION = re.compile(rf"(?:[ \t>]|[-*+][ ]|\d{{1,9}}[.)][ ]){{0,40}}{_LABEL}")
_HEADING = re.compile(r"(?P<prefix> {0,3}#{1,6}[ \t]+)(?P<rest>.*)$")
_ITEM = re.compile(r"(?P<prefix>[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?P<rest>.*)$")
_QUOTED = re.compile(r"(?P<prefix> {0,3}>[ \t]?)(?P<rest>.*)$")
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
_ROW_LINE = re.compile(r"[|:\s-]*-[|:\s-]*")
_MOST_INDENT = 12
_MARKS = re.compile(r"\A(?:[\s>|]|[-=*_#+]+(?:\s|$)|\d{1,9}[.)](?:\s|$))+")


@dataclass(slots=True, kw_only=True)
class Block:
    """Lines that belong together. `prefix` is the markup before `text`, `suffix` that behind it.

    `gap` is what separates the block from the one before it. `section` is the same for blocks that
    one citation can cover: a paragraph, or a list with the line that leads into it. Of a `code`
    block, `text` is the code and `prefix` its language. A heading `announces`, and so do the first
    row of a table and the line under it: they state nothing that a citation could stand behind.
    """

    kind: BlockKind
    text: str
    prefix: str = ""
    suffix: str = ""
    gap: str = "\n\n"
    section: int = 0
    announces: bool = False


@dataclass(slots=True)
class _Reading:
    blocks: list[Block] = field(default_factory=list[Block])
    blank: bool = True
    fence: str = ""
    in_list: bool = False
    section: int = 0


def read_blocks(text: str) -> list[Block]:
    """Return the blocks of a text in order, in one pass; an open fence reaches to the end."""
    reading = _Reading()
    for line in text.split("\n"):
        _read(reading, line.rstrip())
    return [block for block in reading.blocks if block.text.strip() or block.kind == "code"]


def without_marks(text: str) -> str:
    """Return a text that starts no list, heading, quote or table where it starts a block."""
    return _MARKS.sub("", text)


def _read(reading: _Reading, line: str) -> None:
    if reading.fence:
        _read_code(reading, line)
    elif not line:
        reading.blank = True
    elif match := _FENCE.match(line):
        reading.fence = match["mark"]
        _start(reading, Block(kind="code", text="", prefix=match["info"].strip()))
    elif _is_indented_code(reading, line):
        _indented(reading, line)
    else:
        _read_text(reading, line)
        reading.blank = False


def _read_code(reading: _Reading, line: str) -> None:
    bare = line.lstrip(" \t>")
    mark = reading.fence[0]
    if len(bare) >= len(reading.fence) and not bare.strip(mark):
        reading.fence = ""
        reading.blank = True
    else:
        block = reading.blocks[-1]
        block.text += f"\n{line}" if block.text else line


def _is_indented_code(reading: _Reading, line: str) -> bool:
    return reading.blank and not reading.in_list and _INDENTED.match(line) is not None


def _indented(reading: _Reading, line: str) -> None:
    last = reading.blocks[-1] if reading.blocks else None
    if last is not None and last.kind == "code":
        last.text += f"\n{line.strip()}"
    else:
        _start(reading, Block(kind="code", text=line.strip()))


def _read_text(reading: _Reading, line: str) -> None:
    if _DEFINITION.match(line):
        _start(reading, Block(kind="definition", text=line.strip()))
    elif match := _HEADING.match(line):
        reading.in_list = False
        prefix = match["prefix"].lstrip()
        _start(reading, Block(kind="heading", text=match["rest"], prefix=prefix, announces=True))
    elif _RULE.match(line):
        reading.in_list = False
    elif match := _ITEM.match(line):
        _item(reading, match["prefix"].replace("\t", "    "), match["rest"])
    elif line.lstrip().startswith("|"):
        _row(reading, line.strip())
    else:
        _paragraph(reading, line)


def _item(reading: _Reading, prefix: str, rest: str) -> None:
    indent = min(len(prefix) - len(prefix.lstrip()), _MOST_INDENT)
    block = Block(kind="item", text=rest, prefix=" " * indent + " ".join(prefix.split()) + " ")
    follows = reading.in_list or (bool(reading.blocks) and _leads(reading.blocks[-1]))
    _start(reading, block, same_section=follows)
    reading.in_list = True


def _leads(block: Block) -> bool:
    return block.kind == "paragraph" and block.text.rstrip("* _").endswith(":")


def _row(reading: _Reading, line: str) -> None:
    bare = line.removesuffix("|").rstrip() if len(line) > 1 else line
    suffix = " |" if bare != line else ""
    last = reading.blocks[-1] if reading.blocks and not reading.blank else None
    follows = last is not None and (last.kind == "row" or _leads(last))
    is_line = _ROW_LINE.fullmatch(bare) is not None
    if is_line and last is not None and last.kind == "row":
        last.announces = True
    block = Block(kind="row", text=bare, suffix=suffix, announces=is_line)
    _start(reading, block, same_section=follows)


def _paragraph(reading: _Reading, line: str) -> None:
    match = _QUOTED.match(line)
    prefix, rest = (match["prefix"].strip() + " ", match["rest"]) if match else ("", line)
    last = reading.blocks[-1] if reading.blocks else None
    goes_on = last is not None and last.kind in ("paragraph", "item") and not reading.blank
    if goes_on and last is not None and (last.prefix == prefix or not prefix):
        last.text += f"\n{rest.strip()}"
        return
    continues_item = reading.in_list and line[:1].isspace()
    reading.in_list = continues_item
    indent = "  " if continues_item else prefix
    block = Block(kind="paragraph", text=rest.strip(), prefix=indent)
    _start(reading, block, same_section=continues_item)


def _start(reading: _Reading, block: Block, *, same_section: bool = False) -> None:
    if not same_section:
        reading.section += 1
    block.section = reading.section
    last = reading.blocks[-1] if reading.blocks else None
    same = last is not None and last.kind == block.kind
    if same and (block.kind == "item" or (block.kind == "row" and not reading.blank)):
        block.gap = "\n"
    reading.blocks.append(block)
