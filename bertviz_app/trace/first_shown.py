"""`FirstShown`: the layers and heads of weights that a view shows at first."""

from __future__ import annotations

from bertviz_app.values import dataclass


@dataclass(frozen=True)
class FirstShown:
    """What a view of weights shows at first: `layers` and `heads` of them, `selected` heads of `layer`.

    None: all of them; `layer` None: the first one shown.
    """

    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    layer: int | None = None
    selected: tuple[int, ...] | None = None

    @property
    def is_partial(self) -> bool:
        """Whether there are layers or heads that are not shown."""
        return self.layers is not None or self.heads is not None

    def layers_of(self, n_layers: int) -> tuple[int, ...]:
        """Return the layers of `n_layers` that are shown; all where none of them is."""
        every = tuple(range(n_layers))
        return every if self.layers is None else tuple(sorted({*self.layers} & {*every})) or every

    def heads_of(self, n_heads: int) -> tuple[int, ...]:
        """Return the heads of `n_heads` that are shown; all where none of them is."""
        every = tuple(range(n_heads))
        return every if self.heads is None else tuple(sorted({*self.heads} & {*every})) or every


SHOWS_ALL = FirstShown()
