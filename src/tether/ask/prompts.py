"""The system prompts, one for each style of model. They are short: long ones are not obeyed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tether.ask.model import Style
from tether.ask.refusal import DECLINE

_TASK = (
    "You answer questions about documents. Passages from them are given to you. Answer from these"
    " passages and from nothing else, in a few plain sentences. Keep to the wording of the"
    " passages."
)
_LINKS = (
    "End every sentence with the link of the passage it was taken from, copied exactly as it stands"
    " in front of the passage. For example:\n"
    "A worker restarts after three failed checks ([Workers](guide/workers.md#restarts)).\n"
    "Where the question asks for it, begin with Yes or No."
)
_CLAIMS = (
    'Answer in JSON. Each of the "claims" is one whole sentence ("statement") that answers the'
    ' question in the words of one passage, with the number of that source ("source"). "covered"'
    " says whether the passages answer the question; where they do not, leave the claims empty."
)
_TOOLS = (
    "Where the passages do not suffice, look further with the tools, at most a few times. Cite only"
    " what you were shown."
)
_DECLINE = f"If the passages do not answer the question, write only: {DECLINE}"
_NO_CODE = "Write no code: the link leads to it."

_PARTS: Mapping[Style, tuple[str, ...]] = MappingProxyType(
    {
        "quotes": (_TASK,),
        "links": (_TASK, _LINKS, _DECLINE),
        "claims": (_TASK, _CLAIMS),
        "tools": (_TASK, _LINKS, _TOOLS, _DECLINE),
    }
)


def system_prompt(style: Style, *, code: bool) -> str:
    """Return who the assistant is and what it is asked for. Nothing relies on its being obeyed."""
    parts = _PARTS[style]
    if not code and style != "quotes":
        parts = (*parts, _NO_CODE)
    return "\n\n".join(parts)
