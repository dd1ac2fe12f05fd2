"""One PostgreSQL for all tests here, and stores of each kind that are closed afterwards.

A store in memory differs from one in a file only below its operations; most tests try it with
EXPLORE=deep.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from support.stores import POSTGRES, emptied, open_sqlite, own_schema, running_postgres
from tether.batteries.storage.postgres import PostgresStore
from tether.batteries.storage.sql.store import SqlStore
from tether.batteries.storage.sqlite import SqliteStore

DEEP = os.environ.get("EXPLORE") == "deep"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server that runs as long as the tests do."""
    with running_postgres() as address:
        yield address


@pytest.fixture
def postgres_url(postgres_server: str) -> str:
    """The address of an empty schema of it."""
    return own_schema(postgres_server)


@pytest.fixture(scope="session")
def shared_schema(postgres_server: str) -> str:
    """The address of a schema that tests use one after the other."""
    return own_schema(postgres_server)


@pytest.fixture
def emptied_url(shared_schema: str) -> str:
    """The address of that schema, emptied."""
    return emptied(shared_schema)


@pytest.fixture(scope="session")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for an empty store, to be copied: that is quicker than to make its tables."""
    return tmp_path_factory.mktemp("made")


@pytest.fixture(params=["memory", "file", POSTGRES] if DEEP else ["file", POSTGRES])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SqlStore]:
    """An empty store of each kind."""
    opened = await _opened(request, tmp_path)
    yield opened
    await opened.aclose()


async def _opened(request: pytest.FixtureRequest, folder: Path) -> SqlStore:
    if request.param == "memory":
        return await SqliteStore.open(None)
    if request.param == "file":
        made: Path = request.getfixturevalue("made_folder")
        if _is_empty(made):
            await (await open_sqlite(made)).aclose()
        shutil.copytree(made, folder, dirs_exist_ok=True)
        return await open_sqlite(folder)
    return await PostgresStore.open(request.getfixturevalue("emptied_url"))


def _is_empty(folder: Path) -> bool:
    return not any(folder.iterdir())
