"""What was found in a corpus: the features of its questions by kind."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tether.retrieval.floor.questions import Answered, QuestionKind

KINDS: Mapping[str, QuestionKind] = {
    "answerable": "answerable",
    "hidden": "near",
    "near": "near",
    "made row": "answerable",
    "made page": "near",
}
"""The kind of a question for the floor; all others are far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The questions of one corpus.

    `hidden` are the answerable ones with their pages hidden, `far` those of each other corpus.
    `made` and `made_far` are made without people.
    """

    name: str
    answerable: Sequence[Answered]
    hidden: Sequence[Answered]
    near: Sequence[Answered]
    far: Mapping[str, Sequence[Answered]]
    made: Sequence[Answered]
    made_far: Sequence[Answered]

    def without(self, name: str) -> "Case":
        """Return the same without the questions of another corpus."""
        return replace(self, far={key: far for key, far in self.far.items() if key != name})


def load_cases(folder: Path, search: str) -> list[Case]:
    """Return every corpus in a folder; `search` is the search whose features are taken."""
    paths = sorted(folder.glob("*.json"))
    return [_case(path, search, [other.stem for other in paths]) for path in paths]


def _case(path: Path, search: str, names: Sequence[str]) -> Case:
    kinds: dict[str, list[Answered]] = {}
    for row in json.loads(path.read_text()):
        kind = row["kind"].removesuffix(" alone")
        one = Answered(text=row["text"], kind=KINDS.get(kind, "far"), features=row[search])
        kinds.setdefault(kind, []).append(one)
    return Case(
        name=path.stem,
        answerable=kinds["answerable"],
        hidden=kinds["hidden"],
        near=kinds.get("near", []),
        far={name: kinds[f"far {name}"] for name in names if name != path.stem},
        made=[*kinds["made row"], *kinds["made page"]],
        made_far=kinds["made far"],
    )
