"""The text of one element of a page: a cell as running text, code as lines."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from tether.retrieval.readers.html_run import Run
from tether.retrieval.readers.html_seen import Attributes, Seen

_INLINE_NAMES = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark math nobr"
    " picture q rb ruby s samp small span strike strong sub sup time tt u var wbr"
)
_INLINE = frozenset(_INLINE_NAMES.split())
_LINES = frozenset(("div", "p", "li", "tr"))


def gathered(root: LexborNode, seen: Seen) -> Run:
    """Return an element's text as one run, its parts apart from each other."""
    run = Run()
    links: list[tuple[str, int]] = []
    for event, node, attributes in _events(root, seen):
        tag = node.tag or ""
        if event == "text":
            run.add(node.text_content or "")
        elif tag == "a":
            _follow(run, links, attributes)
        elif tag == "img" and attributes is not None:
            run.add(f" {attributes.get('alt') or ''} ")
        elif tag not in _INLINE:
            run.add_gap()
    return run


def gathered_code(root: LexborNode, seen: Seen) -> str:
    """Return code as it is shown: with its line breaks, without the numbers of its lines."""
    parts: list[str] = []
    for event, node, _ in _events(root, seen):
        if event == "text":
            parts.append(node.text_content or "")
        elif (node.tag == "br" and event == "open") or (
            node.tag in _LINES and event == "close" and not (parts and parts[-1].endswith("\n"))
        ):
            parts.append("\n")
    return "".join(parts).replace("\r\n", "\n")


def _follow(run: Run, links: list[tuple[str, int]], attributes: Attributes | None) -> None:
    """Note where a link begins, which has attributes, and where it ends."""
    if attributes is not None:
        links.append((attributes.get("href") or "", run.length))
    else:
        target, start = links.pop()
        if target:
            run.end_link(target, start)


def _events(root: LexborNode, seen: Seen) -> Iterator[tuple[str, LexborNode, Attributes | None]]:
    """Yield what is seen below an element, in order."""
    stack: list[tuple[LexborNode, bool]] = []
    _push_children(stack, root)
    while stack:
        node, is_end = stack.pop()
        if is_end:
            yield "close", node, None
        elif node.tag == "-text":
            yield "text", node, None
        else:
            attributes = seen.attributes(node)
            if attributes is not None:
                yield "open", node, attributes
                stack.append((node, True))
                _push_children(stack, node)


def _push_children(stack: list[tuple[LexborNode, bool]], node: LexborNode) -> None:
    child = node.last_child
    while child is not None:
        stack.append((child, False))
        child = child.prev
