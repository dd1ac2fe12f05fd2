"""One answer held against what was expected of it, and against its own documents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tether.ask.citations.projections import markdown

if TYPE_CHECKING:
    from tether.ask.answer import Answer, Citation
    from tether.ask.evaluation.questions import RecordedQuestion
    from tether.ask.library import Library

_TARGET = re.compile(r"\]\(\s*<?([^)>\s]*)")
"""Whatever a reader of Markdown could take for the target of a link: more than is one."""

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_STOP = re.compile(r"(?<=[.!?])\s")
_DENIES = re.compile(r"\b(?:not|no|never|cannot|none|only|neither)\b|n['\u2019]t\b", re.IGNORECASE)
_YES = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """What is right about one answer; None where there was nothing to look at.

    `verdict` compares answered or abstained with the expectation. `page` and `says` look at an
    answer that was expected, `yes_no` at whether it affirms or denies as it should, `cited` at
    whether an answer links to a retrieved page at all. `clean` holds where nothing forbidden is in
    it. `links` and `quotes` are absolute: every link leads to a retrieved page, and every quote
    stands in its document at the place that is named.
    """

    verdict: bool
    page: bool | None
    says: bool | None
    yes_no: bool | None
    cited: bool | None
    clean: bool
    links: bool
    quotes: bool

    @property
    def right(self) -> bool:
        """Whether it is as good as was asked for."""
        return self.verdict and self.clean and False not in (self.page, self.says, self.yes_no)


def grade(
    question: RecordedQuestion, answer: Answer, library: Library, rendered: str | None = None
) -> Grade:
    """Grade an answer; the library is the one that it was written from.

    `rendered` is the Markdown that a person would be shown; the answer's own unless it is given.
    """
    text = markdown(answer) if rendered is None else rendered
    answered = answer.verdict == "answered"
    looked_at = answered and question.expect == "answered"
    shown = answer.text + "\n" + "\n".join(citation.quote for citation in answer.citations)
    targets = {_ESCAPED.sub(r"\1", target) for target in _TARGET.findall(text)}
    allowed = {_link(item.url or item.document, item.anchor) for item in answer.consulted}
    allowed |= {citation.link for citation in answer.citations}
    return Grade(
        verdict=question.expect in ("either", answer.verdict),
        page=_page(question, targets) if looked_at and question.pages else None,
        says=_says(question, shown) if looked_at and question.says else None,
        yes_no=says_yes_or_no(answer.text) == question.answer
        if looked_at and question.answer
        else None,
        cited=bool(targets & allowed) if answered else None,
        clean=not any(forbidden in text for forbidden in question.never),
        links=targets <= allowed | {page.url for page in answer.nearest},
        quotes=all(_stands(citation, library) for citation in answer.citations),
    )


def says_yes_or_no(text: str) -> str:
    """Return the yes or the no that a text begins with.

    Where it begins otherwise, its first sentence denies or affirms; "" where there is none.
    """
    found = _YES.match(text)
    if found is not None:
        return found[1].lower()
    first = _STOP.split(text.strip(), maxsplit=1)[0]
    return "" if not first else "no" if _DENIES.search(first) else "yes"


def is_page(document: str, page: str) -> bool:
    """Return whether a document's key names a page of a question set."""
    return document == page or document.endswith(f"/{page}")


def _page(question: RecordedQuestion, targets: set[str]) -> bool:
    linked = {target.partition("#")[0] for target in targets}
    return any(is_page(document, page) for document in linked for page in question.pages)


def _says(question: RecordedQuestion, shown: str) -> bool:
    found = [text.casefold() in shown.casefold() for text in question.says]
    return any(found) if question.any else all(found)


def _link(page: str, anchor: str) -> str:
    return f"{page}#{anchor}" if anchor else page


def _stands(citation: Citation, library: Library) -> bool:
    text = library.text(citation.document)
    return text is not None and text[citation.start : citation.end] == citation.quote != ""
