"""Pools of whole collections: documentation trees, the Ray pages, the SciFact abstracts."""

import random
import re
import tarfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from judge import phrasing
from judge.human import rows
from judge.record import Passage, Pool, Question
from judge.sections import cut, page_title, windows

_SHORTEST = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    id: str
    title: str
    text: str


def tree(corpora: Path, name: str, *, limit: int, draw: random.Random, use: str = "train") -> Pool:
    """A documentation tree, with questions made of its headings."""
    pages = []
    with tarfile.open(corpora / f"{name}.tar.gz") as archive:
        for member in sorted(archive.getmembers(), key=lambda entry: entry.name):
            file = archive.extractfile(member) if member.name.endswith(".md") else None
            if file is not None:
                text = file.read().decode("utf-8", "replace")
                title = page_title(text, fallback=Path(member.name).stem)
                pages.append(_Page(id=member.name, title=title, text=text))
    passages, firsts = _passages(pages)
    questions = _heading_questions(passages, firsts, limit=limit, draw=draw, use=use)
    return Pool(name=name, passages=passages, questions=tuple(questions))


def ray(data: Path, *, draw: random.Random) -> Pool:
    """The Ray pages: synthetic questions (600 kept aside), headings, and the report side."""
    folder = data / "ray-docs"
    found = rows(folder / "corpus.jsonl.gz")
    pages = [_Page(id=row["id"], title=row["title"], text=row["text"]) for row in found]
    passages, firsts = _passages(pages)
    places = _by_page(passages)
    synthetic = rows(folder / "queries_synthetic.jsonl.gz")
    kept = set(draw.sample(range(len(synthetic)), 600))
    relevant = _qrels(folder / "qrels_synthetic.tsv")
    questions = []
    for number, row in enumerate(synthetic):
        gold = [place for page in relevant[row["id"]] for place in places.get(page, ())]
        exact = _anchored(passages, gold, row["url"].partition("#")[2])
        use = "held" if number in kept else "train"
        questions.append(_page_question(row["text"], exact if use == "train" else gold, use))
    questions += _heading_questions(passages, firsts, limit=1500, draw=draw, use="train")
    questions += _report(folder, places)
    return Pool(name="ray", passages=passages, questions=tuple(questions))


def scifact(data: Path, *, draw: random.Random) -> Pool:
    """The abstracts: training claims (200 kept aside), titles as questions, the report side."""
    folder = data / "scifact"
    passages = tuple(
        Passage(page=row["id"], title=row["title"], headings=(), text=window)
        for row in rows(folder / "corpus.jsonl.gz")
        for window in windows(row["text"])
    )
    places = _by_page(passages)
    claims = rows(folder / "queries_train.jsonl.gz")
    kept = set(draw.sample(range(len(claims)), 200))
    relevant = _qrels(folder / "qrels_train.tsv")
    questions = []
    for number, row in enumerate(claims):
        gold = [place for page in relevant[row["id"]] for place in places[page]]
        repeats = 1 if number in kept else 2
        use = "held" if number in kept else "train"
        questions += [_page_question(row["text"], gold, use)] * repeats
    for page in draw.sample(sorted(places), 1500):
        title = passages[places[page][0]].title or ""
        questions.append(
            Question(text=title, gold=tuple(places[page]), page_level=True, heading_made=True)
        )
    questions += _report(folder, places)
    return Pool(name="scifact", passages=passages, questions=tuple(questions))


def _page_question(text: str, gold: Iterable[int], use: str) -> Question:
    return Question(text=text, gold=tuple(gold), page_level=True, use=use)


def _report(folder: Path, places: dict[str, list[int]]) -> list[Question]:
    relevant = _qrels(folder / "qrels.tsv")
    return [
        _page_question(
            row["text"], [p for page in relevant[row["id"]] for p in places.get(page, ())], "report"
        )
        for row in rows(folder / "queries.jsonl.gz")
    ]


def _passages(pages: Iterable[_Page]) -> tuple[tuple[Passage, ...], list[int]]:
    """All windows, and the places of those that begin a section."""
    passages: list[Passage] = []
    firsts = []
    for page in pages:
        for section in cut(page.text, title=page.title, restructured=page.id.endswith(".rst")):
            if section.number == 0:
                firsts.append(len(passages))
            passages.append(
                Passage(
                    page=page.id, title=page.title, headings=section.headings, text=section.text
                )
            )
    return tuple(passages), firsts


def _heading_questions(
    passages: tuple[Passage, ...], firsts: list[int], *, limit: int, draw: random.Random, use: str
) -> list[Question]:
    """Questions of headings; one that several sections share names its page as well."""
    long = [place for place in firsts if len(passages[place].text) >= _SHORTEST]
    names = {
        place: (passages[place].headings or (passages[place].title or "",))[-1] for place in long
    }
    shared = Counter(phrasing.plain(name).lower() for name in names.values())
    chosen = sorted(draw.sample(long, min(limit, len(long))))
    questions = []
    for place in chosen:
        heading, title = names[place], passages[place].title or ""
        common = shared[phrasing.plain(heading).lower()] > 1
        context = title if heading != title and (common or draw.random() < 0.3) else ""
        text = phrasing.ask(heading, context=context, draw=draw)
        if len(text) > 8 and not (common and not context):
            questions.append(Question(text=text, gold=(place,), heading_made=True, use=use))
    return questions


def _anchored(passages: tuple[Passage, ...], gold: list[int], anchor: str) -> list[int]:
    """The gold passages under the heading that an address points at, or all of them."""

    def slug(text: str) -> str:
        return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")

    exact = [
        place
        for place in gold
        if slug((passages[place].headings or (passages[place].title or "",))[-1]) == slug(anchor)
    ]
    return exact or gold


def _by_page(passages: tuple[Passage, ...]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, passage in enumerate(passages):
        places.setdefault(passage.page, []).append(place)
    return places


def _qrels(path: Path) -> dict[str, list[str]]:
    relevant: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, page, score = line.split("\t")
        if float(score) > 0:
            relevant.setdefault(query, []).append(page)
    return relevant
