"""Text of a PDF page that a person would not see, as far as its drawing operators tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_SHOWING = (b"Tj", b"TJ", b"'", b'"')
_INVISIBLE_MODES = (3, 7)
_WHITE = {b"g": [1.0], b"rg": [1.0] * 3, b"sc": [1.0] * 3, b"scn": [1.0] * 3, b"k": [0.0] * 4}
_SMALLEST = 1.0
_DEEPEST = 64

Box = tuple[float, float, float, float]
State = tuple[float, float, bool]


class HiddenText:
    """Counts the bytes of text that is drawn invisibly, in white, too small or outside the page.

    A white text may lie on something dark, so this is a hint for people and not a filter.
    """

    def __init__(self, box: Box) -> None:
        self.count = 0
        self._box = box
        self._mode = 0.0
        self._size = 12.0
        self._is_white = False
        self._saved: list[State] = []

    def see(self, operator: bytes, operands: Sequence[Any], matrix: Any, text_matrix: Any) -> None:
        """Follow one operator of the page."""
        numbers = [float(item) for item in operands if isinstance(item, (int, float))]
        if operator in _SHOWING:
            if self._hides(_matrix(matrix), _matrix(text_matrix)):
                self.count += _length(operands)
        elif operator == b"q":
            self._saved.append((self._mode, self._size, self._is_white))
            del self._saved[:-_DEEPEST]
        elif operator == b"Q" and self._saved:
            self._mode, self._size, self._is_white = self._saved.pop()
        elif operator == b"Tr" and numbers:
            self._mode = numbers[0]
        elif operator == b"Tf" and numbers:
            self._size = numbers[-1]
        elif operator in _WHITE and numbers:
            self._is_white = numbers == _WHITE[operator] or (
                operator == b"scn" and numbers == [1.0]
            )

    def _hides(self, matrix: list[float], text_matrix: list[float]) -> bool:
        if self._mode in _INVISIBLE_MODES or self._is_white:
            return True
        x, y = text_matrix[4:]
        scale = max(abs(text_matrix[2]), abs(text_matrix[3])) * max(
            abs(matrix[1]), abs(matrix[3]), abs(matrix[0])
        )
        if abs(self._size) * scale < _SMALLEST:
            return True
        left = x * matrix[0] + y * matrix[2] + matrix[4]
        bottom = x * matrix[1] + y * matrix[3] + matrix[5]
        low_x, low_y, high_x, high_y = self._box
        return not (low_x - 1 <= left <= high_x + 1 and low_y - 1 <= bottom <= high_y + 1)


def _matrix(numbers: Any) -> list[float]:
    found = [float(number) for number in numbers]
    return found if len(found) == 6 else [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]


def _length(operands: Sequence[Any]) -> int:
    total = 0
    for item in operands:
        if isinstance(item, (str, bytes)):
            total += len(item)
        elif isinstance(item, list):
            total += sum(len(part) for part in item if isinstance(part, (str, bytes)))
    return total
