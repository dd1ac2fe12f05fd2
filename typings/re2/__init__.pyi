"""The part of google-re2 that is used here; the package ships no types.

Its classes `Match` and `Regexp` exist for checkers only: at run time their names begin with `_`.
"""

from collections.abc import Iterator
from typing import AnyStr, Generic

class error(Exception): ...  # noqa: N801  # its own name

class Options:
    case_sensitive: bool
    dot_nl: bool
    log_errors: bool
    max_mem: int
    never_capture: bool
    never_nl: bool

class Match(Generic[AnyStr]):
    def group(self, *groups: int | str) -> AnyStr | None: ...
    def groups(self) -> tuple[AnyStr | None, ...]: ...
    def groupdict(self) -> dict[str, AnyStr | None]: ...
    def start(self, group: int | str = 0) -> int: ...
    def end(self, group: int | str = 0) -> int: ...
    def span(self, group: int | str = 0) -> tuple[int, int]: ...

class Regexp(Generic[AnyStr]):
    groups: int
    programsize: int
    groupindex: dict[str, int]
    def search(
        self, text: AnyStr, pos: int | None = None, endpos: int | None = None
    ) -> Match[AnyStr] | None: ...
    def match(
        self, text: AnyStr, pos: int | None = None, endpos: int | None = None
    ) -> Match[AnyStr] | None: ...
    def fullmatch(
        self, text: AnyStr, pos: int | None = None, endpos: int | None = None
    ) -> Match[AnyStr] | None: ...
    def finditer(
        self, text: AnyStr, pos: int | None = None, endpos: int | None = None
    ) -> Iterator[Match[AnyStr]]: ...

def compile(pattern: AnyStr, options: Options | None = None) -> Regexp[AnyStr]: ...
