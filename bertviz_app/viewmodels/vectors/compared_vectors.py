"""`ComparedVectors`: the vectors of several sentences, their cosines, and where they lie on a plane."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from bertviz_app.analysis.vectors import Pca, cosine_matrix, pca
from bertviz_app.types import Floats


class HasVectors(Protocol):
    """A sentence with its vectors, one of each kind."""

    def vector(self, kind: str) -> Floats | None:
        """Return the vector [D] of a kind, None where the model has none."""


_Item = TypeVar("_Item", bound=HasVectors)


@dataclass(frozen=True, eq=False)
class ComparedVectors(Generic[_Item]):
    """The N items that have a vector of the kind.

    `vectors` [N, D], `cosines` [N, N], and `plane`, their principal components; None where N is 0.
    """

    items: tuple[_Item, ...]
    vectors: Floats
    cosines: Floats
    plane: Pca | None


def compared(items: Iterable[_Item], kind: str) -> ComparedVectors[_Item]:
    """Return the vectors of a kind beside each other; items that have none are left out."""
    found = [(item, vector) for item in items if (vector := item.vector(kind)) is not None]
    vectors = np.stack([vector for _, vector in found]) if found else np.zeros((0, 1), np.float32)
    plane = pca(vectors) if found else None
    return ComparedVectors(tuple(item for item, _ in found), vectors, cosine_matrix(vectors), plane)
