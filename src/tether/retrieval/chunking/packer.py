"""The packer: fills chunks with atoms in order, each beginning with the end of the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tether.retrieval.chunking.atoms import Atom, Part
    from tether.retrieval.ports import Estimator


class Window(NamedTuple):
    """A future chunk: its new atoms, after the parts repeated from the one before."""

    repeated: tuple[tuple[Atom, Part], ...]
    atoms: Sequence[Atom]
    cost: int
    header: str


class Packer:
    """Fills windows of at most `size`, all of about the same length."""

    def __init__(self, text: str, size: int, overlap: int, estimate: Estimator) -> None:
        self._text = text
        self._size = size
        self._overlap = overlap
        self._estimate = estimate

    def windows(self, atoms: Sequence[Atom]) -> Iterator[Window]:
        """Yield windows that hold every atom, each once but for the overlaps.

        The rest is divided evenly among the remaining windows, so that the last is not tiny.
        """
        left, count = sum(atom.lead + atom.cost for atom in atoms), self._least_count(atoms)
        first = 0
        before: Window | None = None
        while first < len(atoms):
            before = self._window(atoms, first, before, (left, count))
            yield before
            first += len(before.atoms)
            left -= sum(atom.lead + atom.cost for atom in before.atoms)
            count = max(count - 1, 1)

    def _least_count(self, atoms: Sequence[Atom]) -> int:
        """Return the number of windows if each is filled completely."""
        used, count = 0, 1
        for atom in atoms:
            used += atom.lead + atom.cost
            if used > self._size:
                used = self._overlap + atom.cost
                count += 1
        return count

    def _window(
        self, atoms: Sequence[Atom], first: int, before: Window | None, to_come: tuple[int, int]
    ) -> Window:
        left, count = to_come
        repeated = self._repeated(before, atoms[first]) if before else ()
        header = (repeated[0][0] if repeated else atoms[first]).header
        used = self._estimate(header) if header else 0
        if repeated:
            used += self._estimate(self._text[repeated[0][1].start : atoms[first].start])
        if repeated and used + atoms[first].cost > self._size:
            repeated, header = (), atoms[first].header
            used = self._estimate(header) if header else 0
        goal = (used + left + (count - 1) * self._overlap) / count
        last = self._filled(atoms, first, used, goal)
        return self._fitting(repeated, atoms[first:last], header)

    def _filled(self, atoms: Sequence[Atom], first: int, used: int, goal: float) -> int:
        """Return the end of the window, which is not after a heading."""
        used += atoms[first].cost
        last = first + 1
        while last < len(atoms):
            more = atoms[last].lead + atoms[last].cost
            if used + more > self._size or used + more / 2 > goal:
                break
            used += more
            last += 1
        return last if last == len(atoms) else _before_headings(atoms, first, last)

    def _fitting(
        self, repeated: tuple[tuple[Atom, Part], ...], atoms: Sequence[Atom], header: str
    ) -> Window:
        """Make the window, with less in it if the whole costs more than the sum of its parts."""
        while True:
            room = self._size - (self._estimate(header) if header else 0)
            start = repeated[0][1].start if repeated else atoms[0].start
            alone = len(atoms) == 1 and not repeated
            span = self._text[start : atoms[-1].end]
            cost = atoms[0].cost if alone else self._estimate(span)
            if cost <= room or alone:
                return Window(repeated, atoms, cost, header if cost <= room else "")
            if len(atoms) > 1:
                atoms = atoms[:-1]
            else:
                repeated, header = (), atoms[0].header

    def _repeated(self, before: Window, following: Atom) -> tuple[tuple[Atom, Part], ...]:
        """Return the last parts of the previous window, as many as the overlap allows, but not all.

        None are repeated before a heading, which begins a new subject.
        """
        if following.placed.block.kind == "heading":
            return ()
        parts = [(atom, part) for atom in before.atoms for part in atom.parts]
        found: list[tuple[Atom, Part]] = []
        for atom, part in reversed(parts[1:]):
            too_large = len(atom.parts) == 1 and atom.cost > self._overlap
            if too_large or not atom.repeatable or not self._is_short(part, following):
                break
            found.append((atom, part))
        return tuple(reversed(found))

    def _is_short(self, part: Part, following: Atom) -> bool:
        return self._estimate(self._text[part.start : following.start]) <= self._overlap


def _before_headings(atoms: Sequence[Atom], first: int, last: int) -> int:
    """Return a position that is not right after a heading, if the window has one."""
    place = last
    while place > first and atoms[place - 1].placed.block.kind == "heading":
        place -= 1
    return place if place > first else last
