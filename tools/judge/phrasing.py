"""Headings and sentences turned into questions, so that unlabelled pages can teach."""

import random
import re
from functools import cache
from pathlib import Path

_MARKUP = re.compile(r"[`*_]|\[([^\]]*)\]\([^)]*\)|<[^>]+>")
_NUMBERING = re.compile(r"^(step\s*)?[\d.]+[.):]?\s+", re.IGNORECASE)


def _gerund(verb: str) -> str:
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    doubled = {"get", "set", "run", "stop", "map", "split", "log", "drag", "wrap"}
    return verb + (verb[-1] if verb in doubled else "") + "ing"


@cache
def _imperatives() -> dict[str, str]:
    """Verbs and their gerunds, to the verb."""
    verbs = Path(__file__).with_name("verbs.txt").read_text(encoding="utf-8").split()
    return {**{verb: verb for verb in verbs}, **{_gerund(verb): verb for verb in verbs}}


def plain(heading: str) -> str:
    """A heading without its markup and numbering."""
    return _NUMBERING.sub("", _MARKUP.sub(lambda found: found.group(1) or "", heading)).strip()


def ask(heading: str, *, context: str, draw: random.Random) -> str:
    """One question for a heading; `context` (a title) is named where it is not empty."""
    words = plain(heading)
    where = f" {draw.choice(('in', 'for', 'with', '-'))} {plain(context)}" if context else ""
    if words.endswith("?"):
        return words
    first, _, rest = words.partition(" ")
    verb = _imperatives().get(first.lower())
    if verb and rest:
        form = draw.choice(("How do I {}?", "how to {}", "How can I {}?", "I want to {}", "{}"))
        return form.format(f"{verb} {rest}{where}")
    form = draw.choice(
        (
            "What is {}?",
            "{}",
            "How does {} work?",
            "Explain {}",
            "tell me about {}",
            "what about {}",
            "{}?",
        )
    )
    return form.format(
        words[:1].lower() + words[1:] + where if words[1:2].islower() else words + where
    )


def sentences(text: str) -> list[str]:
    """Sentences of plain prose; crude, because only whole ones are ever taken out."""
    return [piece for piece in re.split(r"(?<=[.!?])\s+", text) if piece.strip()]
