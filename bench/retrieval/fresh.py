"""Opening an index and asking it, in a process of its own, as a command does.

`python -m bench.retrieval.fresh INDEX --pool FILE`, one question to a line of its input
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from bench.retrieval.clock import own_megabytes, peak_megabytes, timed
from bench.retrieval.embedders import QuickEmbedder

from tether.retrieval.index.index import Index
from tether.retrieval.index.parts import default_parts
from tether.retrieval.index.snapshot import Snapshot
from tether.retrieval.query import Query
from tether.retrieval.search.retriever import Retriever


def main() -> None:
    """Open, ask the lexical lanes, ask with the model, and print one object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("--pool", type=Path, required=True)
    options = parser.parse_args()
    questions = sys.stdin.read().splitlines()
    snapshot, opened = timed(lambda: _opened(options.index, questions[0]))
    lexical = peak_megabytes()
    whole = Retriever(index=snapshot, embedder=QuickEmbedder(np.load(options.pool)))
    _, first = timed(lambda: whole.search(Query(question=questions[0])))
    for question in questions:
        whole.search(Query(question=question))
    said = {
        "open": opened,
        "first": first,
        "peak_lexical": lexical,
        "peak": peak_megabytes(),
        "own": own_megabytes(),
    }
    print(json.dumps(said))


def _opened(folder: Path, question: str) -> Snapshot:
    """Return a snapshot that has answered a first question from its lexical lanes."""
    snapshot = Index.open(folder, default_parts()).snapshot()
    if not Retriever(index=snapshot).search(Query(question=question)).hits:
        raise LookupError(question)
    return snapshot


if __name__ == "__main__":
    main()
