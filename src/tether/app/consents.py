"""What a person has agreed to, kept in the user's state folder: one small file for each place."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from tether.app.files import state_folder
from tether.core.errors import InputRefused

MOST_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Consent:
    """A yes to one place as it was: `bound` is a checksum or an identity of what is there."""

    path: str
    bound: str


@dataclass(frozen=True, slots=True)
class Consents:
    """The consents in a folder; None if the user has no state folder, and then there are none."""

    folder: Path | None

    @classmethod
    def of_user(cls, environ: Mapping[str, str]) -> Consents:
        """Return those of the user of this process."""
        state = state_folder(environ)
        return cls(None if state is None else state / "trusted")

    def covers(self, consent: Consent) -> bool:
        """Return whether the person has said yes to this place, as it is now."""
        return self.folder is not None and _read(self._file(self.folder, consent.path)) == consent

    def give(self, consent: Consent) -> None:
        """Keep a yes, in place of an earlier one to the same path; raises `InputRefused`."""
        if self.folder is None:
            raise InputRefused("there is no home folder to note it in; set XDG_STATE_HOME")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self.folder, delete=False) as draft:  # private from birth
                draft.write(json.dumps(asdict(consent)).encode())
            Path(draft.name).replace(self._file(self.folder, consent.path))
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise InputRefused(f"it cannot be noted in {self.folder}: {why}") from error

    def revoke(self, folder: Path) -> list[Consent]:
        """Take back every yes to a place in a folder, and return them."""
        within = [it for it in self._kept() if Path(it[1].path).is_relative_to(folder)]
        for file, _ in within:
            file.unlink(missing_ok=True)
        return _by_path(within)

    def all(self) -> list[Consent]:
        """Return every consent, by path."""
        return _by_path(self._kept())

    def _kept(self) -> list[tuple[Path, Consent]]:
        """Return the consents with their files; what is no consent is left out."""
        files = [] if self.folder is None else self.folder.glob("*.json")
        return [(file, found) for file in files if (found := _read(file)) is not None]

    @staticmethod
    def _file(folder: Path, path: str) -> Path:
        return folder / f"{sha256(os.fsencode(path)).hexdigest()[:32]}.json"


def _by_path(kept: Sequence[tuple[Path, Consent]]) -> list[Consent]:
    return sorted((consent for _, consent in kept), key=lambda consent: consent.path)


def _read(path: Path) -> Consent | None:
    """Return the consent in a file; None if it is missing or something else."""
    with suppress(OSError, ValueError, TypeError), path.open("rb") as file:
        return Consent(**json.loads(file.read(MOST_BYTES)))
    return None
