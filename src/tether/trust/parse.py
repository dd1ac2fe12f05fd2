"""Reads a rendered prompt back: the proof that no payload leaves its envelope.

It works on the text that a model is shown and knows nothing of how the text was made. Where that
text cannot have come from the renderer it says so, instead of guessing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tether.core.errors import InputRefused
from tether.trust.blocks import refuse
from tether.trust.items import read_item
from tether.trust.names import NONCED_NAMES
from tether.trust.parsed import ParsedPrompt
from tether.trust.retrievables import SAFETY_DIRECTIVE
from tether.trust.sections import Sections, read_sections

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.trust.prompt import Prompt

_ENVELOPE = re.compile(rf"^</?(?:{'|'.join(NONCED_NAMES)})_[0-9a-f]{{32}}[ >]", re.MULTILINE)


def parse_prompt(prompt: Prompt, *, safety_directive: str = SAFETY_DIRECTIVE) -> ParsedPrompt:
    """Return what the prompt says.

    The system prompt is the developer's and stands raw: it ends where everything behind it reads as
    our blocks. (One that itself ends in a whole block of rules, where there are no other rules,
    reads as these rules: both are the developer's words.) `safety_directive` is the text of that
    step, where it was replaced. Raises `InputRefused` where the text is not one of ours.
    """
    system_prompt, before = _leading(prompt.leading, safety_directive)
    text = prompt.trailing
    after = read_sections(text, safety_directive, earlier=before.buckets) if text else Sections()
    timeline = tuple(map(read_item, prompt.timeline))
    return ParsedPrompt(system_prompt, before.blocks, timeline, after.blocks)


def _leading(text: str, directive: str) -> tuple[str, Sections]:
    """Try each place where blocks may begin; the leftmost from which all reads as ours it is."""
    for start in _beginnings(text):
        try:
            found = read_sections(text, directive, start)
        except InputRefused:
            continue
        return text[:start].removesuffix("\n\n"), found
    if _ENVELOPE.search(text):
        refuse("there are envelopes in it, but it does not end in our blocks", text)
    return text, Sections()


def _beginnings(text: str) -> Iterator[int]:
    if text:
        yield 0
    start = text.find("\n\n")
    while start >= 0:
        yield start + 2
        start = text.find("\n\n", start + 1)
