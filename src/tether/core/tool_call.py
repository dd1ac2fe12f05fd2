"""One settled tool invocation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from tether.core.artifact import SpooledArtifact
from tether.core.checks import Checks, Value, freeze, refuses_with
from tether.core.errors import InvalidInitialToolCallValue
from tether.core.media import Media
from tether.core.plain_data import copy_plain, parse_json_object, tool_checksum
from tether.core.tokenizable import Tokenizable

if TYPE_CHECKING:
    from datetime import datetime

    from tether.core.times import TimeInput

ToolResults = (
    Tokenizable | SpooledArtifact | Media | tuple[SpooledArtifact, ...] | tuple[Media, ...]
)
"""Text from a tool that reads artifacts, handles from any other tool, or media."""

ToolResultsInput = (
    str | Tokenizable | SpooledArtifact | Media | Iterable[SpooledArtifact] | Iterable[Media]
)


@refuses_with(InvalidInitialToolCallValue)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class ToolCall(Value):
    """A tool, the arguments it was called with, and its results.

    `id` is the provider's key for this one request. `checksum` is always computed from the tool and
    the arguments, so it is equal for equal calls: that is how a loop is seen. `args` may be given
    as JSON text. `payload` is a provider's opaque block about the call, to be sent back as it came;
    it needs `replay_compatibility`, the tag of the wire that understands it. Raises
    `InvalidInitialToolCallValue`.
    """

    id: str
    tool: str
    args: dict[str, Any]
    results: ToolResults
    checksum: str = field(init=False)
    is_error: bool
    inline: bool
    from_artifact_tool: bool
    payload: Any
    replay_compatibility: str | None
    created_at: datetime
    updated_at: datetime
    completed_at: datetime

    def __init__(
        self,
        *,
        id: str,
        tool: str,
        args: Mapping[str, Any] | str,
        results: ToolResultsInput,
        created_at: TimeInput,
        is_error: bool = False,
        inline: bool = True,
        from_artifact_tool: bool = False,
        payload: Any = None,
        replay_compatibility: str | None = None,
        checksum: str | None = None,
        updated_at: TimeInput | None = None,
        completed_at: TimeInput | None = None,
    ) -> None:
        check = Checks()
        check.identifier("tool", tool)
        arguments, computed = _arguments(check, tool, args)
        check.replay(payload, replay_compatibility)
        created = check.time("created_at", created_at)
        if checksum is not None and not check.problems and checksum != computed:
            check.fail("checksum", "does not belong to this tool and these arguments")
        freeze(
            self,
            id=check.identifier("id", id),
            tool=tool,
            args=arguments,
            results=_results(check, results),
            checksum=computed,
            is_error=check.flag("is_error", is_error),
            inline=check.flag("inline", inline),
            from_artifact_tool=check.flag("from_artifact_tool", from_artifact_tool),
            payload=payload,
            replay_compatibility=replay_compatibility,
            created_at=created,
            updated_at=created if updated_at is None else check.time("updated_at", updated_at),
            completed_at=created
            if completed_at is None
            else check.time("completed_at", completed_at),
        )
        check.done(InvalidInitialToolCallValue)

    def artifacts(self) -> tuple[SpooledArtifact, ...]:
        """Return the artifacts among the results."""
        if isinstance(self.results, SpooledArtifact):
            return (self.results,)
        if isinstance(self.results, tuple):
            return tuple(item for item in self.results if isinstance(item, SpooledArtifact))
        return ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; artifacts are left out (None), media appear without their bytes."""
        return {
            "id": self.id,
            "tool": self.tool,
            "args": copy_plain(self.args),
            "results": _results_to_json(self.results),
            "checksum": self.checksum,
            "is_error": self.is_error,
            "inline": self.inline,
            "from_artifact_tool": self.from_artifact_tool,
            "payload": self.payload,
            "replay_compatibility": self.replay_compatibility,
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
            "completed_at": self.completed_at.isoformat(),
        }


def _arguments(
    check: Checks, tool: str, args: Mapping[str, Any] | str
) -> tuple[dict[str, Any], str]:
    """Return a copy of the arguments, and their checksum; both mean nothing after a problem."""
    named = not check.problems  # nothing but the tool's name was checked before
    try:
        given = parse_json_object(args) if isinstance(args, str) else check.mapping("args", args)
        arguments: dict[str, Any] = copy_plain(given)
        return arguments, tool_checksum(tool if named else "", arguments)
    except ValueError as problem:
        check.fail("args", str(problem))
    except RecursionError:
        check.fail("args", "is nested too deeply")
    return {}, ""


def _results(check: Checks, results: ToolResultsInput) -> ToolResults:
    match results:
        case Tokenizable() | SpooledArtifact() | Media():
            return results
        case str():
            return Tokenizable(results)
        case Iterable() if not isinstance(results, (bytes, Mapping)):
            items = tuple(cast("Iterable[object]", results))
            for kind in (SpooledArtifact, Media):
                if items and all(isinstance(item, kind) for item in items):
                    return cast("ToolResults", items)
        case _:
            pass
    expected = "text, an artifact, Media, or a non-empty list of artifacts or of Media"
    check.refuse("results", results, expected)
    return cast("ToolResults", results)


def _results_to_json(results: ToolResults) -> Any:
    match results:
        case Tokenizable():
            return str(results)
        case Media():
            return results.to_json()
        case tuple():
            return [_results_to_json(item) for item in results]
        case _:
            return None
