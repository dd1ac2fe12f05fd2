"""Measure extractive answers, or print some to read.

    python scripts/extractive_eval.py squad QA.jsonl.gz CORPUS.jsonl.gz [--limit N]
    python scripts/extractive_eval.py read FOLDER|CORPUS QUESTIONS|headings [--count N] [--skip N]
    python scripts/extractive_eval.py pairs PAIRS.jsonl.gz [--count N] [--skip N]

`squad` counts how many answers hold a gold string when the right paragraph stands among five of its
article, beside two baselines. `read` searches a documentation tree (or a corpus file) with BM25 and
prints what would be answered; `pairs` does so with a file of questions, each with its passage.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from tether.ask.citations.draft import compose
from tether.ask.citations.passage import Passage
from tether.ask.evidence import Evidence
from tether.ask.quoting.links import title_of
from tether.ask.quoting.selection import Selected, Selection
from tether.ask.quoting.windows import quoted
from tether.retrieval import chunk as chunks_kept
from tether.text.terms import Vocabulary
from tether.text.units import units_of
from tether.text.words import count_words

CHUNK_WORDS = 300
PASSAGES = 5


class Chunk(NamedTuple):
    """A piece of a page."""

    source: str
    text: str


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=["squad", "read", "pairs"])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--limit", type=int, default=10**9)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--skip", type=int, default=0)
    given = parser.parse_args()
    if given.mode == "squad":
        squad(Path(given.paths[0]), Path(given.paths[1]), given.limit)
    elif given.mode == "pairs":
        pairs(Path(given.paths[0]), given.count, given.skip)
    else:
        read(Path(given.paths[0]), given.paths[1], given.count, given.skip)


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


def rows(path: Path) -> list[dict[str, Any]]:
    """Read a file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def squad(qa: Path, corpus: Path, limit: int) -> None:
    """Print the share of answers that hold a gold string, for us and for two baselines."""
    texts = {row["id"]: row["text"] for row in rows(corpus)}
    articles: dict[str, list[str]] = defaultdict(list)
    for id in texts:
        articles[id.partition("#")[0]].append(id)
    tried: dict[str, Counter[str]] = {name: Counter() for name in ("ours", "first", "bm25")}
    unanswerable: Counter[str] = Counter()
    foreign: Counter[str] = Counter()
    names = sorted(articles)
    for number, row in enumerate(rows(qa)[:limit]):
        right = row["context_ids"][0]
        passages = [texts[id] for id in around(articles[right.partition("#")[0]], right, number)]
        if not row["answerable"]:
            note(unanswerable, extract(row["question"], passages), [])
            continue
        note(tried["ours"], extract(row["question"], passages), row["answers"])
        note_text(tried["first"], first_sentence(passages), row["answers"])
        note_text(tried["bm25"], best_sentence(row["question"], passages), row["answers"])
        other = names[(names.index(right.partition("#")[0]) + 1 + number % 3) % len(names)]
        strange = [texts[id] for id in articles[other][:PASSAGES]]
        note(foreign, extract(row["question"], strange), [])
    for name, counts in {**tried, "unanswerable": unanswerable, "foreign": foreign}.items():
        total = max(1, counts["total"])
        say(
            f"{name:13} n={total} hit={counts['hit'] / total:.3f}"
            f" words={counts['words'] / max(1, total - counts['refused']):.1f}"
            f" refused={counts['refused'] / total:.3f}"
        )


def around(article: list[str], right: str, number: int) -> list[str]:
    """Return the right paragraph among distractors of its article, in no telling order."""
    others = [id for id in article if id != right]
    start = number * 7 % max(1, len(others))
    chosen = [*others[start:], *others[:start]][: PASSAGES - 1]
    chosen.insert(number % PASSAGES, right)
    return chosen


def extract(question: str, texts: list[str]) -> list[Selected]:
    """Return the quotes that answer a question."""
    return Selection(question, [_passage(*each) for each in enumerate(texts)]).chosen()


def _passage(number: int, text: str) -> Passage:
    chunk = chunks_kept.Chunk.whole(text, id=str(number), document=str(number))
    return Passage(Evidence(number=number, chunk=chunk, version=""))


def note(counts: Counter[str], quotes: list[Selected], answers: list[str]) -> None:
    """Count one answer of ours."""
    note_text(counts, " ".join(one.window.reading for one in quotes), answers)


def note_text(counts: Counter[str], text: str, answers: list[str]) -> None:
    """Count one answer."""
    counts["total"] += 1
    counts["refused"] += not text
    counts["words"] += count_words(text)
    counts["hit"] += any(answer.lower() in text.lower() for answer in answers)


def first_sentence(passages: list[str]) -> str:
    """Return the first sentence of the first passage."""
    units = units_of(passages[0])
    return units[0].text if units else ""


def best_sentence(question: str, passages: list[str]) -> str:
    """Return the sentence that plain BM25 ranks first."""
    sentences = [unit.text for text in passages for unit in units_of(text)]
    ranked = bm25(question, sentences)
    return sentences[ranked[0]] if ranked else ""


def bm25(question: str, texts: list[str]) -> list[int]:
    """Return the numbers of the texts that share a term with the question, best first."""
    return Index(texts).search(question)


class Index:
    """BM25 over texts, in memory."""

    def __init__(self, texts: list[str]) -> None:
        self._vocabulary = Vocabulary()
        self._counts = [Counter(self._vocabulary.terms_of(text)) for text in texts]
        self._found: dict[str, list[int]] = defaultdict(list)
        for number, count in enumerate(self._counts):
            for term in count:
                self._found[term].append(number)
        self._length = sum(count.total() for count in self._counts) / max(1, len(texts))

    def search(self, question: str) -> list[int]:
        """Return the numbers of the matching texts, best first."""
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(self._vocabulary.terms_of(question)):
            found = self._found.get(term, [])
            weight = math.log(1 + (len(self._counts) - len(found) + 0.5) / (len(found) + 0.5))
            for number in found:
                times, size = self._counts[number][term], self._counts[number].total()
                scores[number] += weight * times * 2.2 / (times + 0.3 + 0.9 * size / self._length)
        return sorted(scores, key=lambda number: (-scores[number], number))


def read(place: Path, questions: str, count: int, skip: int) -> None:
    """Print answers to questions about a documentation tree."""
    pages = pages_of(place)
    chunks = [chunk for page in pages for chunk in chunks_of(page)]
    index = Index([chunk.text for chunk in chunks])
    if questions == "headings":
        found = re.findall(
            r"^#{2,3} ([^\n{]{12,70})", "\n".join(p.text for p in pages), re.MULTILINE
        )
        asked = [f"{heading.strip()}" for heading in dict.fromkeys(found)]
    else:
        asked = [row["text"] for row in rows(Path(questions))]
    step = max(1, len(asked) // count)
    for question in asked[skip::step][:count]:
        hits = [chunks[number] for number in index.search(question)[:PASSAGES]]
        show(question, hits)


def pairs(path: Path, count: int, skip: int) -> None:
    """Print answers to questions that come with their passages."""
    given = rows(path)
    for row in given[skip :: max(1, len(given) // count)][:count]:
        texts = [row["positive"], *row["negatives"][: PASSAGES - 1]]
        ranked = [texts[number] for number in bm25(row["question"], texts)]
        show(row["question"], [Chunk(row["positive_title"], text) for text in ranked])


def show(question: str, hits: list[Chunk]) -> None:
    """Print a question and its answer."""
    quotes = extract(question, [chunk.text for chunk in hits])
    say(f"\n##### {question}")
    for one in quotes:
        draft = compose([quoted(one.window, 0)[1]])
        source, path = hits[one.window.number].source, one.window.path
        link = f"([{title_of(source, path[0] if path else None)}]({source}))"
        say(f"{draft.text[: draft.statements[0].end]} {link}\n")
    if not quotes:
        say("(nothing)")


def pages_of(place: Path) -> list[Chunk]:
    """Return the pages of a folder of Markdown, or of a corpus file."""
    if place.is_dir():
        files = sorted(place.rglob("*.md"))
        return [Chunk(str(f.relative_to(place)), f.read_text(encoding="utf-8")) for f in files]
    return [Chunk(row.get("url") or row["id"], row["text"]) for row in rows(place)]


def chunks_of(page: Chunk) -> list[Chunk]:
    """Split a page at its headings, and long sections at empty lines."""
    chunks: list[Chunk] = []
    for section in re.split(r"(?m)^(?=#{1,6} )", page.text):
        piece = ""
        for part in re.split(r"(?<=\n)\n+", section):
            if piece and len(piece.split()) + len(part.split()) > CHUNK_WORDS:
                chunks.append(Chunk(page.source, piece))
                piece = ""
            piece += part + "\n"
        if piece.strip():
            chunks.append(Chunk(page.source, piece))
    return chunks


if __name__ == "__main__":
    main()
