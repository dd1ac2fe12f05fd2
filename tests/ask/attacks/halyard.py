"""The pages of an invented product, and answers about it that are put to the gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from ask.bookshelf import Shelf, evidence_of
from tether.ask.answer import Answer, Statement
from tether.ask.citations.draft import Draft
from tether.ask.citations.projections import markdown
from tether.ask.citations.review import Review, ReviewRules, review
from tether.ask.evidence import Evidence
from tether.ask.verification.onnx import OnnxVerifier
from tether.ask.verification.port import Verifier
from tether.ask.verification.scripted import ScriptedVerifier

SECRETS = """# Secrets

Secrets are stored unencrypted by default. To encrypt them, set `seal` to `on` before the first
start. A sealed store cannot be opened without the seal key. The seal key is never written to disk.

## Rotation

The vault rotates the seal key every 90 days. Old keys stay readable for 14 days after a rotation.
Rotation does not encrypt existing secrets again. An administrator can rotate a key earlier with
`halyard seal rotate`.
"""

STORAGE = """# Storage

A bucket holds at most 5 TB. A single upload is limited to 5 GB, and a multipart upload to 500 GB.
Deleted files stay in the bin for 30 days. The janitor empties the bin once a day.

## Replicas

The primary copies every file to two replicas. A replica never accepts writes from clients. When the
primary fails, the replica with the newest log takes over. Reads may return stale data for up to 2
seconds.

## Tiers

| tier | price per GB | retrieval time | minimum stay |
|------|--------------|----------------|--------------|
| hot  | 0.023 EUR    | immediate      | none         |
| cool | 0.011 EUR    | under 1 second | 30 days      |
| cold | 0.004 EUR    | up to 12 hours | 90 days      |
"""

NETWORK = """# Network

The gateway forwards requests to the workers, and the workers report to the scheduler. The gateway
listens on port 8443 and the metrics endpoint on port 9102. Connections that are idle for more than
60 seconds are closed. Clients must use TLS 1.3; older versions are refused.

## Retries

A client retries a failed request at least twice and at most five times. The delay starts at 200 ms
and doubles after each attempt. Requests that were refused with 403 are not retried.

## Settings

| setting        | default | unit    | meaning                                        |
|----------------|---------|---------|------------------------------------------------|
| `idle_timeout` | 60      | seconds | how long an idle connection stays open         |
| `max_body`     | 20      | MB      | the largest body of a request                  |
| `log_level`    | warn    |         | one of `debug`, `info`, `warn` and `error`     |
| `workers`      | 4       |         | how many requests are handled at the same time |
"""

ACCESS = """# Access

Owners can delete a project. Editors can change files but cannot invite members. Viewers can read
files only. Guests need a link that an owner created, and the link expires after 7 days.

## Sign-in

Accounts are locked for 15 minutes after 5 failed attempts. Passwords must have at least 12
characters. Two-factor sign-in is optional for viewers and required for owners. A session lasts 8
hours.

## Tokens

To create a token:

1. Open the profile page.
2. Choose **Tokens**, then **New**.
3. Copy the token: it is shown only once.

A token:

- has the rights of the person who created it;
- expires after 180 days unless it is renewed;
- can be revoked by its creator and by any owner.
"""

UPGRADES = """# Upgrades

Stop the workers before the gateway. The migration runs once, when the gateway starts, and takes
about 10 minutes for each million files. A downgrade is possible only within 24 hours. Plugins
written for version 2 do not load in version 3.

## Requirements

Halyard needs:

- Linux 5.10 or later;
- 4 GB of memory, 8 GB recommended;
- PostgreSQL 14 or newer for the catalogue;
- outbound access to port 443.

## Removed

- The `sync` command was replaced by `mirror`.
- Support for MySQL ended with version 3.
- Scheduled exports are deprecated and will be removed in version 4.
"""

BACKUPS = """# Backups

Backups run nightly at 02:00. A full backup is made every Sunday, and the other six are incremental.
Backups are kept for 35 days. A restore asks for confirmation before it overwrites newer files.

## What is included

A backup contains files, permissions and settings. It does not contain the search index, which is
rebuilt after a restore. Thumbnails are created again on demand.

Cold copies
: Backups that were moved to the cold tier. A restore from them takes up to 12 hours.

Snapshot
: A read-only view of a bucket. It costs nothing until files change.
"""

PAGES = {
    "access.md": ACCESS,
    "backups.md": BACKUPS,
    "network.md": NETWORK,
    "secrets.md": SECRETS,
    "storage.md": STORAGE,
    "upgrades.md": UPGRADES,
}


class Case(NamedTuple):
    """A statement that a model writes in answer to a question, beside words of a page."""

    question: str
    said: str
    beside: str = ""


@cache
def passages(*more: tuple[str, str]) -> tuple[Evidence, ...]:
    """Return every passage of the pages, after those of further pages."""
    return _numbered(dict(more)) + _numbered(PAGES, after=len(_numbered(dict(more))))


@cache
def page(key: str) -> tuple[Evidence, ...]:
    """Return the passages of one page."""
    return _numbered({key: PAGES[key]})


def _numbered(pages: dict[str, str], *, after: int = 0) -> tuple[Evidence, ...]:
    """Return the passages of pages, counted on."""
    found = evidence_of(Shelf(pages=pages)) if pages else []
    return tuple(replace(one, number=after + one.number) for one in found)


@cache
def shipped() -> OnnxVerifier:
    """The verifier that is shipped."""
    return OnnxVerifier()


def credulous(premise: str = "") -> ScriptedVerifier:
    """A verifier that believes whatever stands beside a text, or beside any.

    What is stopped then, exact checks have stopped.
    """
    return ScriptedVerifier(premise=premise)


def put(
    said: str,
    verifier: Verifier | None,
    *,
    question: str = "",
    evidence: Sequence[Evidence] = (),
    code: bool = False,
) -> Review:
    """Return the review of an answer from the pages."""
    rules = ReviewRules(verifier=verifier, code=code)
    return review(said, evidence or passages(), question, rules)


def drafts(found: Review) -> list[Draft]:
    """Return what may be shown in the end: the repaired draft, and the draft if it passed."""
    shown = [found.draft] if found.passed else []
    return [*shown, *([found.repaired] if found.repaired is not None else [])]


def said_by_model(found: Review) -> list[str]:
    """Return the statements in the model's own words that may be shown."""
    return [text for draft in drafts(found) for text, one in _texts(draft) if one.words == "model"]


def quoted(found: Review) -> list[str]:
    """Return the statements in a document's own words that may be shown."""
    return [
        text for draft in drafts(found) for text, one in _texts(draft) if one.words == "document"
    ]


def _texts(draft: Draft) -> list[tuple[str, Statement]]:
    return [(draft.text[one.start : one.end], one) for one in draft.statements]


def printed(found: Review) -> str:
    """Return everything that a person could see: texts, and the Markdown of them."""
    return "\n".join(f"{draft.text}\n{markdown(_answer(draft))}" for draft in drafts(found))


def _answer(draft: Draft) -> Answer:
    return Answer(
        id="turn",
        conversation="talk",
        question="",
        text=draft.text,
        verdict="answered",
        statements=draft.statements,
        citations=draft.citations,
    )
