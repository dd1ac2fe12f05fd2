"""Write the catalogue of ready-made tools into docs/tools.md: `python scripts/tool_catalogue.py`.

Every description, argument and result comes from the code: the examples are run. A test holds the
page against what this would write.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tether import Memory, Retrievable, Tokenizable, Tool
from tether.batteries.storage.memory import MemoryStorage
from tether.batteries.testing import FakeClock, run_tool
from tether.batteries.tools import TOOLS, document_tools, fetch_url_tool, toolbox
from tether.batteries.tools.documents import DocumentEntry, Passage
from tether.batteries.web.access import WebAccess

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tools.md"
BEGIN = "<!-- catalogue: written by scripts/tool_catalogue.py -->"
END = "<!-- end of the catalogue -->"

HTML = "<title>Example</title><h1>An example</h1><p>For use in documents.</p>"

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


class _Handbook:
    """A library of one document, for the examples."""

    async def search(self, query: str, limit: int) -> Sequence[Passage]:
        text = "Choose “Forgot password” on the sign-in page."
        return [Passage("accounts", "Accounts", text, "https://docs.example/accounts", 0.92)]

    async def list(self, contains: str, start: int, limit: int) -> Sequence[DocumentEntry]:
        return [DocumentEntry("accounts", "Accounts", "https://docs.example/accounts")]


def page_with_catalogue(page: str) -> str:
    """Return the page with its catalogue written anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{asyncio.run(_catalogue())}\n{END}{after}"


async def _catalogue() -> str:
    parts: list[str] = []
    for category in TOOLS:
        parts.append(f"### {category}\n")
        parts += [await _entry(tool) for tool in toolbox(category)]
    parts.append("### documents\n")
    parts += [await _entry(tool) for tool in document_tools(_Handbook())]
    parts.append("### web\n")
    parts.append(await _fetched())
    return "\n".join(parts)


async def _fetched() -> str:
    """Run the example of `fetch_url` against a page of our own, shown under the example's name."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
        writer.write(f"{head}Content-Length: {len(HTML)}\r\n\r\n{HTML}".encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        tool = fetch_url_tool(WebAccess(private_hosts=[place], schemes=["http"]))
        result = await run_tool(tool, {"url": f"http://{place}/"})
    example = tool.meta.get("example")
    shown = json.dumps(result, ensure_ascii=False).replace(f"http://{place}/", example["url"])
    return f"{_described(tool)}\n```text\nfetch_url({json.dumps(example)})\n\n{shown}\n```\n"


async def _entry(tool: Tool) -> str:
    example = tool.meta.get("example")
    result = await run_tool(
        tool,
        example,
        storage=_storage(tool.name),
        clock=FakeClock(),
        on_gate=lambda gate: gate.resolve(True),
    )
    shown = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    call = f"{tool.name}({json.dumps(example, ensure_ascii=False)})"
    return f"{_described(tool)}\n```text\n{call}\n\n{_ID.sub('…', shown)}\n```\n"


def _described(tool: Tool) -> str:
    schema = tool.describe()["input_schema"]
    lines = [f"#### `{tool.name}`", "", " ".join(tool.description.split()), ""]
    for name, argument in schema["properties"].items():
        needed = "" if name in schema.get("required", ()) else _default(argument)
        said = " ".join(argument.get("description", "").split())
        lines.append(f"- `{name}`{needed}: {said}{_choices(argument)}")
    return "\n".join([*lines, ""] if schema["properties"] else lines)


def _default(argument: dict[str, Any]) -> str:
    value = argument.get("default")
    return " (optional)" if value in (None, "", [], {}) else f" (default {json.dumps(value)})"


def _choices(argument: dict[str, Any]) -> str:
    within = [argument, argument.get("items", {}), *argument.get("anyOf", [])]
    choices = [choice for schema in within for choice in schema.get("enum", [])]
    return f" One of {', '.join(f'`{choice}`' for choice in choices)}." if choices else ""


def _storage(tool: str) -> MemoryStorage:
    """Return a storage that holds what the examples speak of."""
    storage = MemoryStorage()
    records = storage.session()
    records.memories.add(
        Memory(
            id="m-1",
            content="Prefers metric units.",
            confidence=0.9,
            importance=0.6,
            created_at="2026-01-01T10:00:00Z",
        )
    )
    records.retrievables.add(
        Retrievable(
            id="r-1",
            content="Water boils at 100 °C at sea level.",
            trust_tier="first-party",
            source="handbook",
            score=0.8,
            created_at="2026-01-01T10:00:00Z",
        )
    )
    if not tool.startswith("add_"):
        records.standing_instructions.add(Tokenizable("Answer in French."))
    return storage


if __name__ == "__main__":
    PAGE.write_text(page_with_catalogue(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"written: {PAGE.name}\n")
