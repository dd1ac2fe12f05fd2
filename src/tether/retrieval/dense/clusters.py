"""The clusters of a large set of vectors, as arrays: an inverted file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clusters:
    """Each vector's row is a member of the cluster whose center is nearest.

    The members of cluster i are `members[offsets[i]:offsets[i + 1]]`, in the order of their rows.
    A search reads the `probes` nearest clusters. `trained` is how many vectors the centers were
    made from.
    """

    centers: NDArray[np.float32]
    offsets: NDArray[np.int64]
    members: NDArray[np.int32]
    probes: int
    trained: int

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Clusters | None:
        """Return the clusters in the arrays, None where there are none."""
        if "centers" not in arrays:
            return None
        probes, trained = (int(number) for number in arrays["numbers"])
        return cls(
            centers=arrays["centers"],
            offsets=arrays["offsets"],
            members=arrays["members"],
            probes=probes,
            trained=trained,
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `of` reads."""
        return {
            "centers": self.centers,
            "offsets": self.offsets,
            "members": self.members,
            "numbers": np.array([self.probes, self.trained], np.int64),
        }

    def fits(self, dimensions: int, size: int, growth: int) -> bool:
        """Whether the centers can serve that many vectors of that length."""
        return self.centers.shape[1] == dimensions and size < growth * self.trained

    def near(self, questions: NDArray[np.float32], *, probes: int, least: int) -> NDArray[np.int64]:
        """Return the rows of each question's nearest clusters, in order.

        More than `probes` clusters are read where those hold fewer than `least` rows together.
        """
        sizes = np.diff(self.offsets)
        chosen: set[int] = set()
        for question in questions:
            order = np.argsort(-(self.centers @ question), kind="stable")
            enough = int(np.searchsorted(np.cumsum(sizes[order]), least)) + 1
            chosen.update(order[: max(probes, enough)].tolist())
        lists = [self.members[self.offsets[i] : self.offsets[i + 1]] for i in sorted(chosen)]
        return np.sort(np.concatenate(lists)).astype(np.int64)
