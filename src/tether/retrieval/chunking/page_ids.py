"""The name of a page in the ids of its chunks: readable, and never that of another page."""

from __future__ import annotations

import re
from hashlib import sha256

LONGEST = 80
_UNSAFE = re.compile(r"[^a-z0-9._/-]+")


def page_id(key: str) -> str:
    """Return the page's part of its chunk ids; different keys have different ones.

    That is the key in lower case, with what is not a letter, digit, `.`, `_`, `/` or `-` replaced,
    without the scheme of a URL and without the ending `.md`. Several keys can come out alike:
    `Guide.md`, `guide.md` and `https://guide`. Only the one that can be read back from it keeps it
    as it is, the others get a part of their hash. So it depends on the key alone, not on what else
    is in the index.
    """
    readable = _readable(key)
    return readable if _read_back(readable) == key else f"{readable}~{_digest(key)}"


def _readable(key: str) -> str:
    plain = key.lower().removeprefix("https://").removeprefix("http://").removesuffix(".md")
    return _UNSAFE.sub("-", plain)[:LONGEST].strip("-/") or "page"


def _read_back(readable: str) -> str:
    first, *others = readable.split("/")
    if others and "." in first:
        return f"https://{readable}"
    return readable if "." in (others[-1] if others else first) else f"{readable}.md"


def _digest(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
