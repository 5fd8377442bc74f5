"""AttnLRP: the relevance of tokens and heads for an outcome, by rules for each operation of the model."""

from __future__ import annotations

from typing import Self

import numpy as np

from bertviz_app.analysis.compare import Alignment, refuse_large, too_large
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.probing.passes import Leaf
from bertviz_app.analysis.probing.targets import Target, TargetParameters, compares_runs
from bertviz_app.analysis.results import TokenScalars
from bertviz_app.errors import Message
from bertviz_app.features.methods.attribution import bytes_of_weights
from bertviz_app.trace.form import Capture, Point, Taps
from bertviz_app.typeset import signed
from bertviz_app.values import dataclass, replace


@dataclass(frozen=True, eq=False, kw_only=True)
class TokenRelevance(TokenScalars):
    """The relevance of each token [T]; `absorbed` is what biases and the softmax keep of the `outcome`."""

    outcome: float | None = None
    absorbed: float | None = None

    def findings(self) -> tuple[str, ...]:
        if self.outcome is None or self.absorbed is None:
            return ()
        parts = float(self.values.sum(dtype=np.float64)), self.absorbed, self.outcome
        return (
            Message("tokens {0}, biases and softmax {1}, outcome {2}", *(signed(part, 3) for part in parts)),
        )

    def minus(self, other: Self, alignment: Alignment) -> Self:
        """Return the differences of aligned tokens; they are parts of no outcome."""
        return replace(super().minus(other, alignment), outcome=None, absorbed=None)


_OF_EACH_WEIGHT = 6  # numbers: the weight, its scores and the gradients of both


@analysis(
    key="attn-lrp",
    place=("tokens", 5),
    title=Message("AttnLRP"),
    summary=Message(
        "What each token adds to the chosen outcome, passed back from it operation by operation: layer-wise "
        "relevance propagation with rules for attention."
    ),
    limits=Message(
        "Biases and the softmax keep a part of the outcome, which is given, so the tokens alone do not add "
        "up to it; the halves of a product are a convention. The epsilon of the rule for dense layers is 0."
    ),
    paper="Achtibat et al. 2024, arXiv:2402.05602, section 3",
    needs=Needs.MODEL | Needs.GRADIENT | Needs.OWN_STATES,
    refuses_trace=lambda trace: too_large(trace, bytes_of_weights(trace, _OF_EACH_WEIGHT)),
    compares=compares_runs,
)
def attn_lrp(inputs: Inputs, parameters: TargetParameters, reporter: Reporter) -> TokenRelevance:
    """Return the relevance of each token for the outcome, by the rules of AttnLRP.

    The relevance of a number is the number times a gradient that these rules have changed: an activation
    passes on y / x; a norm divides by a number of this run; of a product of two tensors, such as queries and
    keys or weights and values, each gets one half; dense layers and the softmax have their own gradient. The
    relevance of a token is that of its embedding, the sum of token, segment and position, before the norm.

    With what biases and the softmax absorb, the tokens add up to the outcome: how far they are off, as a
    share of the largest of the outcome, the relevances and 1, is the `identity_error`.

    [T], in the unit of the outcome; may be below 0. Raises AnalysisError for a model with an operation that
    has no rule.

    Layer-wise relevance propagation is that of Bach et al. 2015, doi:10.1371/journal.pone.0130140.
    """
    import torch

    from bertviz_app.features.methods._relevance_rules import Rules  # loads torch

    trace, target = inputs.trace, Target(inputs, parameters)
    refuse_large(trace, bytes_of_weights(trace, _OF_EACH_WEIGHT))
    rules, leaf = Rules(), Leaf(Point.EMBEDDING_SUM)
    # With the weights wanted attention is computed by operations that have rules, not by a fused kernel.
    taps = Taps(leaf, Capture({Point.WEIGHTS}))
    with rules:
        output = target.model.forward([trace.tokens], taps, grad=True)
        value = target.values(output, grad=True).sum()
    reporter.check()
    reporter.progress(0.5)
    (gradient,) = torch.autograd.grad(value, leaf.leaf)
    relevance = (gradient.double() * leaf.leaf.detach().double())[0].sum(-1).cpu().numpy()
    reporter.progress(1)
    outcome = float(value.detach())
    error = abs(float(relevance.sum()) + rules.absorbed - outcome)
    return TokenRelevance(
        trace.tokens.pieces,
        relevance.astype(np.float32),
        Quantity(""),
        identity_error=error / max(1.0, abs(outcome), float(np.abs(relevance).max())),
        outcome=outcome,
        absorbed=rules.absorbed,
    )
