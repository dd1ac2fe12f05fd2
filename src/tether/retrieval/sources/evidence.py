"""What is remembered of a page, so that an unchanged one is not sent again and looks the same."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256

from tether.retrieval.sources.fetch import Fetched, FetchRequest

_LONGEST_TYPE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A server's marks of one version of a page, and what the server said it is.

    An answer that nothing changed names neither type nor place, and an item has both: so they are
    part of what is remembered. `content_type` is the whole header, with the character set.
    """

    etag: str = ""
    last_modified: str = ""
    content_type: str = ""
    url: str = ""

    @classmethod
    def of(cls, answer: Fetched) -> Evidence:
        """Return what an answer says about its page."""
        return cls(
            etag=answer.headers.get("etag", ""),
            last_modified=answer.headers.get("last-modified", ""),
            content_type=answer.headers.get("content-type", "").strip()[:_LONGEST_TYPE],
            url=answer.url,
        )

    @classmethod
    def read(cls, version: str) -> Evidence:
        """Return what was written as a version; nothing is known from any other text."""
        try:
            found = json.loads(version)
        except ValueError:
            return cls()
        texts = isinstance(found, list) and all(isinstance(text, str) for text in found)
        if not texts or len(found) != 4:
            return cls()
        etag, modified, content_type, url = found
        return cls(etag=etag, last_modified=modified, content_type=content_type, url=url)

    def request(self, url: str, most: int) -> FetchRequest:
        """Return the question whether a page is still this version of it."""
        return FetchRequest(
            url=url, etag=self.etag, last_modified=self.last_modified, max_bytes=most
        )

    def version(self, body: bytes) -> str:
        """Return the evidence as text; of a page without marks, what it says is the evidence."""
        if not self.etag and not self.last_modified:
            return f"sha256 {sha256(body).hexdigest()}"
        return json.dumps([self.etag, self.last_modified, self.content_type, self.url])
