"""How much the value and output matrices of each layer lengthen a vector: a fingerprint of a checkpoint."""

from __future__ import annotations

import math

import numpy as np

from bertviz_app.analysis.axes import counted
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.probing.decomposition.blocks import array, bias_of, refuse_values
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import Message
from bertviz_app.types import Doubles


@analysis(
    key="expansion-rate",
    title=Message("Expansion rate"),
    summary=Message(
        "How much longer the value and output matrices of a layer make a vector on average: the same for "
        "every text."
    ),
    limits=Message("It averages over all directions, also those that no token's vector has."),
    paper="Kobayashi et al. 2021, arXiv:2109.07152, section 5",
    needs=Needs.MODEL,
    refuses=refuse_values,
)
def expansion_rate(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> NamedArrays:
    """Return the expansion rate of each layer, e = ||M_V M_O||_F / sqrt(D + 1).

    M_V and M_O are the value and the output projection as matrices that take (x, 1) to (y, 1): the bias is
    the last row. So e is the root mean square of how much longer their product makes a vector, over all
    directions. It depends on the checkpoint alone. The heads beside it, each e_h = ||M_V^h W_O^h||_F / sqrt(D
    + 1), are of one head's columns of M_V and rows of W_O, without b_O.

    "values" [L], 0 or more, and "heads" [L, H]. Muted heads count like the others.

    In the notebook beside the paper's code b_O stands in a column.
    """
    trace, model = inputs.trace, inputs.opened
    rates = np.zeros(trace.n_layers, np.float32)
    heads = np.zeros((trace.n_layers, trace.n_heads), np.float32)
    for layer in range(trace.n_layers):
        reporter.check()
        weights = model.weights(layer)
        n_values = trace.n_heads * trace.head_width
        value = np.vstack([array(weights.value.weight).T, bias_of(weights.value, n_values)])  # [D + 1, H * E]
        output = array(weights.output.weight).T  # [H * E, D]
        product = np.zeros((len(value), output.shape[1]))  # [D + 1, D]
        for head in range(trace.n_heads):
            reporter.check()
            part = slice(head * trace.head_width, (head + 1) * trace.head_width)
            of_head: Doubles = value[:, part] @ output[part]
            heads[layer, head] = np.linalg.norm(of_head) / math.sqrt(len(value))
            product += of_head
        product[-1] += bias_of(weights.output, output.shape[1])
        rates[layer] = math.sqrt((product**2).sum() + 1) / math.sqrt(
            len(value)
        )  # 1: the corner of the product
        reporter.progress((layer + 1) / trace.n_layers)
    layers = counted("layer", trace.n_layers)
    axes = {"values": (layers,), "heads": (layers, counted("head", trace.n_heads))}
    return NamedArrays({"values": rates, "heads": heads}, axes)
