"""Multinomial logistic regression with weight decay, in float64; how well labels are predicted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bertviz_app.types import Doubles, Indices
from bertviz_app.values import dataclass

Numbers = Indices
_MOST_STEPS = 1000
_N_DRAWS = 500


@dataclass(frozen=True, eq=False)
class LinearProbe:
    """`weights` [C, D] and `bias` [C] for features that are standardised by `mean` and `scale` [D].

    `gradient`: the largest entry of the gradient where training ended, which is 0 at the optimum.
    """

    weights: Doubles
    bias: Doubles
    mean: Doubles
    scale: Doubles
    gradient: float = 0.0

    def probabilities(self, features: NDArray[np.floating]) -> Doubles:
        """Return the probability of each class [..., C] by features [..., D]."""
        logits = (features.astype(np.float64) - self.mean) / self.scale @ self.weights.T + self.bias
        logits -= logits.max(-1, keepdims=True)
        shares = np.exp(logits)
        found: Doubles = shares / shares.sum(-1, keepdims=True)
        return found


def fitted(
    features: NDArray[np.floating], labels: Numbers, n_classes: int, decay: float, check: Callable[[], None]
) -> LinearProbe:
    """Return the probe with the least loss on features [N, D] with labels [N], numbers of `n_classes`.

    The loss is the mean of -log p(label) plus decay / 2 times the sum of all squared weights, of features
    that are standardised to mean 0 and deviation 1; the bias does not decay. It is convex, and L-BFGS from
    zero finds its one minimum: the same numbers on each run. `check` is called in each step.
    """
    import torch

    mean = features.mean(0, dtype=np.float64)
    scale = features.std(0, dtype=np.float64)
    scale[scale == 0] = 1.0
    inputs = torch.from_numpy((features.astype(np.float64) - mean) / scale)
    targets = torch.from_numpy(labels.astype(np.int64))
    weights = torch.zeros(n_classes, inputs.shape[1], dtype=torch.float64, requires_grad=True)
    bias = torch.zeros(n_classes, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [weights, bias],
        max_iter=_MOST_STEPS,
        max_eval=2 * _MOST_STEPS,
        tolerance_grad=1e-7,
        tolerance_change=1e-15,
        history_size=20,
        line_search_fn="strong_wolfe",
    )

    def loss() -> torch.Tensor:
        check()
        optimiser.zero_grad()
        with torch.enable_grad():
            value = torch.nn.functional.cross_entropy(inputs @ weights.T + bias, targets)
            value = value + decay / 2 * weights.square().sum()
            value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    loss()
    gradient = max(float(one.grad.abs().max()) for one in (weights, bias) if one.grad is not None)
    return LinearProbe(weights.detach().numpy(), bias.detach().numpy(), mean, scale, gradient)


@dataclass(frozen=True)
class Score:
    """Shares from 0 to 1: of right labels, and the mean of the F1 of all classes, with intervals of 95%."""

    accuracy: float
    low: float
    high: float
    f1: float
    f1_low: float
    f1_high: float


def score(labels: Numbers, predicted: Numbers, groups: Numbers, n_classes: int, seed: int) -> Score:
    """Return how well labels [N] are predicted.

    The intervals are of draws of whole groups [N], such as the sentences of words, with replacement (the
    percentile bootstrap, Efron 1979); classes that are neither a label nor predicted do not count in F1.
    """
    pairs = labels * n_classes + predicted
    whole = _accuracy_and_f1(np.bincount(pairs, minlength=n_classes**2), n_classes)
    names, group = np.unique(groups, return_inverse=True)
    random = np.random.default_rng(seed)
    drawn = np.empty((_N_DRAWS, 2))
    for draw in range(_N_DRAWS):
        times = np.bincount(random.integers(len(names), size=len(names)), minlength=len(names))
        counts = np.bincount(pairs, weights=times[group], minlength=n_classes**2)
        drawn[draw] = _accuracy_and_f1(counts, n_classes)
    (low, f1_low), (high, f1_high) = np.nanpercentile(drawn, (2.5, 97.5), axis=0).tolist()
    return Score(whole[0], low, high, whole[1], f1_low, f1_high)


def _accuracy_and_f1(counts: NDArray[np.number], n_classes: int) -> tuple[float, float]:
    table = counts.reshape(n_classes, n_classes)  # true, predicted
    right, n_true, n_predicted = np.diag(table), table.sum(1), table.sum(0)
    occurs = n_true + n_predicted > 0
    if not occurs.any():
        return float("nan"), float("nan")
    f1 = 2 * right[occurs] / (n_true + n_predicted)[occurs]
    return float(right.sum() / table.sum()), float(f1.mean())
