"""Documents whose sentences, items, rows, definitions and code are known, as they were written."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

Span = tuple[int, int]

_NOUNS = "server client queue worker token backup volume request message limit schema cache"
_VERBS = "keeps drops writes reads rotates rejects stores returns retries copies"
NOUNS, VERBS = _NOUNS.split(), _VERBS.split()
HOW = (
    *("after each restart", "by default", "for 30 days", "in version 2.5", "unless it is full"),
    *("at most 3.5 times", "with `max_size`", "on port 8080", "in **bold** cases", "e.g. at night"),
    *("of the [guide](guide.md)", "(see below. It helps)", "of `a.b.C`", "under *some* load"),
    *('with the "fast" mode', "from https://a.example/x.html on"),
)
STOPS = (".", ".", ".", ".", "!", "?", "\u2026")
LINES = ("x = 1", "run --all", "  # The server keeps. It is.", "", "- a: b", "| a |", "y")


@dataclass
class Known:
    """Whole neighbouring parts of a document, in order, and the text that they belong to."""

    spans: list[Span] = field(default_factory=list[Span])
    lead: Span | None = None


class Manual:
    """A document of one to five blocks; `known` has what may be quoted of each."""

    def __init__(self, random: Random) -> None:
        self.text = ""
        self.known: list[Known] = []
        self.leads: set[Span] = set()
        self._random = random
        self._above: Span | None = None
        blocks = (
            *(self._heading, self._paragraph, self._paragraph, self._quoted, self._table),
            *(self._items, self._items, self._definitions, self._code),
        )
        chosen = None
        for _ in range(random.randint(1, 5)):
            after_items = chosen == self._items  # or two lists would be one
            chosen = self._heading if after_items else random.choice(blocks)
            chosen()
            self.text += "\n"

    def holds(self, start: int, end: int, lead: Span | None) -> bool:
        """Say whether a place is whole neighbours of one block, with what they belong to."""
        if (start, end) in self.leads:
            return lead is None
        for known in self.known:
            starts, ends = [one[0] for one in known.spans], [one[1] for one in known.spans]
            if start in starts and end in ends[starts.index(start) :]:
                return lead == known.lead
        return False

    def _add(self, text: str) -> Span:
        start = len(self.text)
        self.text += text
        return start, len(self.text)

    def _one(self, *texts: str) -> str:
        return self._random.choice(texts)

    def _phrase(self) -> str:
        article = self._one("the", "every", "no", "a single")
        return f"{self._one(*NOUNS)} {self._one(*VERBS)} {article} {self._one(*NOUNS)}"

    def _sentence(self) -> str:
        words = f"{self._one('The', 'Each', 'A', 'No', 'Any')} {self._phrase()}"
        words += f" {self._one(*HOW)}" if self._random.random() < 0.6 else ""
        words += f", and the {self._phrase()}" if self._random.random() < 0.15 else ""
        return words + self._one(*STOPS)

    def _heading(self) -> None:
        self._add("#" * self._random.randint(1, 4) + f" {self._phrase().title()}\n")
        self._above = None

    def _paragraph(self) -> None:
        self._sentences((" ", " ", "\n", "  "), 4)

    def _quoted(self) -> None:
        self._add("> ")
        self._sentences((" ", "\n> "), 3)

    def _sentences(self, joints: tuple[str, ...], most: int) -> None:
        known = Known()
        for at in range(self._random.randint(1, most)):
            self._add(self._one(*joints) if at else "")
            known.spans.append(self._add(self._sentence()))
        self._add("\n")
        self._keep(known)

    def _keep(self, known: Known, above: Span | None = None) -> None:
        self.known.append(known)
        self._above = above or known.spans[-1]

    def _lead(self, how: str) -> Span:
        lead = self._add(f"The {self._phrase()} {how}:")
        self._add(self._one("\n", "\n\n"))
        self.leads.add(lead)
        return lead

    def _items(self) -> None:
        known = Known(lead=self._lead("in these cases") if self._random.random() < 0.6 else None)
        bullet, gap = self._one("-", "*", "+", "1"), self._one("\n", "\n", "\n\n")
        last = (0, 0)
        for at in range(self._random.randint(1, 5)):
            mark = f"{at + 1}. " if bullet == "1" else f"{bullet} "
            self._add(mark)
            known.spans.append(self._add(self._item(" " * len(mark))))
            last = self._last_sentence(known.spans[-1])
            self._add(gap)
        self._keep(known, last)

    def _item(self, indent: str) -> str:
        chance = self._random.random()
        if chance < 0.3:
            return self._sentence() + self._one(" ", f"\n{indent}") + self._sentence()
        return self._sentence()[:-1] if chance < 0.5 else self._sentence()

    def _last_sentence(self, span: Span) -> Span:
        """Return the last sentence of an item, which begins with an article after a stop."""
        text = self.text[slice(*span)]
        starts = [
            at
            for at in range(2, len(text))
            if text[at - 1].isspace()
            and text[:at].rstrip().endswith(STOPS)
            and text[at:].startswith(("The ", "Each ", "A ", "No ", "Any "))
        ]
        return (span[0] + starts[-1], span[1]) if starts else span

    def _table(self) -> None:
        width = self._random.randint(2, 4)
        names = " | ".join(self._one(*NOUNS).title() for _ in range(width))
        known = Known(lead=self._add(f"| {names} |"))
        self._add("\n|" + "---|" * width + "\n")
        for _ in range(self._random.randint(1, 4)):
            row = " | ".join(self._cell() for _ in range(width))
            known.spans.append(self._add(f"| {row} |"))
            self._add("\n")
        self.known.append(known)
        self._above = None

    def _cell(self) -> str:
        number, name = str(self._random.randint(1, 999)), f"`{self._one(*NOUNS)}_size`"
        return self._one(number, name, self._phrase(), self._sentence())

    def _definitions(self) -> None:
        for _ in range(self._random.randint(1, 3)):
            term = self._add(f"{self._one(*NOUNS).title()} {self._one(*NOUNS)}")
            self._add("\n: ")
            self._keep(Known([self._add(self._sentence())], term))
            self._add("\n\n")

    def _code(self) -> None:
        lead = self._lead("with") if self._random.random() < 0.5 else self._above
        if not self.text.endswith("\n\n"):
            self._add("\n")
        fence = self._one("```", "~~~", "````")
        lines = "\n".join(self._one(*LINES) for _ in range(self._random.randint(1, 5)))
        code = self._add(f"{fence}{self._one('', 'sh', 'py')}\ngo\n{lines}\n{fence}")
        self._add("\n")
        self.known.append(Known([code], lead))
        self._above = None
