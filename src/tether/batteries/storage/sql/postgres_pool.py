"""Connections to a PostgreSQL server: a few, made again where the server dropped them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg_pool import AsyncConnectionPool

    Pool = AsyncConnectionPool[AsyncConnection[dict[str, Any]]]

MOST_CONNECTIONS = 4


def require_driver() -> None:
    """Raise `InputRefused` where the driver is not installed."""
    try:
        import psycopg_pool  # noqa: PLC0415
    except ImportError as error:
        raise InputRefused(
            "a store in PostgreSQL needs its driver: pip install 'tether[postgres]'"
        ) from error
    del psycopg_pool


def new_pool(address: str, options: dict[str, Any], timeout_s: float) -> Pool:
    """Return a pool that is not open yet."""
    from psycopg_pool import AsyncConnectionPool  # noqa: PLC0415

    pool = AsyncConnectionPool(
        address,
        kwargs=options,
        min_size=1,
        max_size=MOST_CONNECTIONS,
        open=False,
        timeout=timeout_s,
        reconnect_timeout=timeout_s,
        check=AsyncConnectionPool.check_connection,
    )
    return cast("Pool", pool)  # what its connections return is among the options
