"""Pairs that teach "answers it": unanswerable questions, and passages robbed of the answer."""

import random
from pathlib import Path

from judge import phrasing
from judge.human import rows
from judge.record import AnswerPair
from judge.sections import WINDOW_CHARACTERS

_SHORTEST = 120
_HELD_SHARE = 0.15


def pairs(data: Path, draw: random.Random) -> list[AnswerPair]:
    """All pairs; whole articles of squad2 and a share of the others are held."""
    found = [*_squad(data), *_claims(data)]
    for name in ("nq-oracle-qed", "covidqa-deepset"):
        for row in rows(data / "train" / f"{name}.pairs.jsonl.gz"):
            found += _robbed(
                row["question"], row["positive_title"], row["positive"], row.get("answer"), draw
            )
    return found


def _squad(data: Path) -> list[AnswerPair]:
    texts = {row["id"]: row for row in rows(data / "squad2" / "corpus.jsonl.gz")}
    articles = sorted({place.partition("#")[0] for place in texts})
    held = set(articles[-2:])
    return [
        AnswerPair(
            question=row["question"],
            title=texts[place]["title"],
            text=texts[place]["text"][:WINDOW_CHARACTERS],
            answered=row["answerable"],
            held=place.partition("#")[0] in held,
        )
        for row in rows(data / "squad2" / "qa.jsonl.gz")
        for place in row["context_ids"][:1]
    ]


def _claims(data: Path) -> list[AnswerPair]:
    """Claims of the training side only, with the abstract they cite."""
    texts = {row["id"]: row for row in rows(data / "scifact" / "corpus.jsonl.gz")}
    return [
        AnswerPair(
            question=row["question"],
            title=texts[place]["title"],
            text=texts[place]["text"][:WINDOW_CHARACTERS],
            answered=row["answerable"],
            held=False,
        )
        for row in rows(data / "scifact" / "qa.jsonl.gz")
        if row["split"] == "train"
        for place in row["context_ids"][:1]
    ]


def _robbed(
    question: str, title: str, text: str, answer: str | None, draw: random.Random
) -> list[AnswerPair]:
    """The passage with its answer, and without the sentences that hold it."""
    shown = text[:WINDOW_CHARACTERS]
    kept = [piece for piece in phrasing.sentences(shown) if not answer or answer not in piece]
    rest = " ".join(kept)
    if not answer or answer not in shown or len(rest) < _SHORTEST:
        return []
    held = draw.random() < _HELD_SHARE
    return [
        AnswerPair(question=question, title=title, text=shown, answered=True, held=held),
        AnswerPair(question=question, title=title, text=rest, answered=False, held=held),
    ]
