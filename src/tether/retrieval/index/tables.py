"""The tables of an index, and the numbering of its rows."""

from __future__ import annotations

NAME = "index.sqlite"
APPLICATION = 0x54455448
FORMAT = 1
CHUNK_BITS = 20
"""The row of a chunk is the number of its version, shifted by these bits, plus its own number."""

TABLES = (
    """CREATE TABLE sources (
    name TEXT PRIMARY KEY,
    checksum BLOB NOT NULL
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    content TEXT NOT NULL,
    reading TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    links TEXT NOT NULL,
    record BLOB NOT NULL,
    checksum BLOB NOT NULL,
    UNIQUE (key, content, reading)
) STRICT""",
    """CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL,
    record BLOB NOT NULL,
    checksum BLOB NOT NULL
) STRICT""",
    """CREATE TABLE embedders (
    id INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL,
    retired INTEGER NOT NULL DEFAULT 0
) STRICT""",
    """CREATE TABLE embeddings (
    id INTEGER PRIMARY KEY,
    embedder INTEGER NOT NULL REFERENCES embedders (id),
    digest BLOB NOT NULL,
    vector BLOB NOT NULL,
    checksum BLOB NOT NULL,
    UNIQUE (embedder, digest)
) STRICT""",
    """CREATE TABLE generations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    record TEXT NOT NULL,
    checksum BLOB NOT NULL
) STRICT""",
    """CREATE TABLE entries (
    generation INTEGER NOT NULL REFERENCES generations (number),
    position INTEGER NOT NULL,
    version INTEGER NOT NULL REFERENCES versions (id),
    key TEXT NOT NULL,
    source TEXT NOT NULL,
    checksum BLOB NOT NULL,
    PRIMARY KEY (generation, position)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX entries_by_key ON entries (generation, key)",
    "CREATE INDEX entries_by_version ON entries (version)",
    """CREATE TABLE outcomes (
    key TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    notes TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    content TEXT NOT NULL,
    reading TEXT NOT NULL,
    evidence TEXT NOT NULL,
    checksum BLOB NOT NULL
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE heads (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    current INTEGER NOT NULL REFERENCES generations (number),
    previous INTEGER REFERENCES generations (number),
    checksum BLOB NOT NULL
) STRICT""",
)
