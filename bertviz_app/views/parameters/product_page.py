"""`ProductPage`: a row of the input, a row of the matrix, their products, and the sum they make."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QLabel, QSpinBox, QVBoxLayout, QWidget

from bertviz_app.checkpoint.parameters import LinearProduct
from bertviz_app.viewmodels.viewport import heat_picture, usual_size
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import exact, fixed, signed
from bertviz_app.views.kit.style import named
from bertviz_app.views.vectors.heat import HeatTexts, HeatView


class ProductPage(QWidget):
    """Three rows, each with colours of its own; `output_chosen(row)` asks for another sum."""

    output_chosen = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.product: LinearProduct | None = None
        self.output = QSpinBox()
        self.output.setKeyboardTracking(False)
        self.formula = named(QLabel(), "note")
        self.formula.setWordWrap(True)
        self.heat = HeatView(look, self._read_out)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.formula)
        column.addWidget(self.heat, 1)
        self.output.valueChanged.connect(self.output_chosen)

    def show_product(self, product: LinearProduct, n_outputs: int) -> None:
        """Show how one number is computed."""
        if product is not self.product:
            self.product = product
            rows = np.stack([product.inputs, product.weights, product.products.astype(np.float32)])
            limits = np.array([usual_size(row) for row in rows], np.float32)
            self.heat.show_picture(heat_picture(rows, limits), self._texts())
        self.output.blockSignals(True)
        self.output.setRange(0, n_outputs - 1)
        self.output.setValue(product.output)
        self.output.blockSignals(False)
        self.retranslate()

    def retranslate(self) -> None:
        translate = QCoreApplication.translate
        self.output.setPrefix(translate("ParametersView", "output") + " ")
        self.output.setAccessibleName(translate("ParametersView", "Output: row of the matrix"))
        self.heat.setAccessibleName(translate("ParametersView", "Input, row of the matrix, products"))
        if self.heat.picture is not None:
            self.heat.show_picture(self.heat.picture, self._texts())
        words = translate(
            "ParametersView",
            "Each number of the input times the one below it is a product; all products and the bias add "
            "up to one number. As stored, the matrix has a row for each output: the column of W in x · W.",
        )
        self.formula.setText(words)

    def _texts(self) -> HeatTexts:
        translate = QCoreApplication.translate
        rows = (
            translate("ParametersView", "input x"),
            translate("ParametersView", "row of the matrix"),
            translate("ParametersView", "products"),
        )
        return HeatTexts(rows=rows, full_colour="99 %")

    def _read_out(self, row: int, column: int) -> list[str]:
        """Return the product of one dimension."""
        product = self.product
        if product is None:
            return []
        x, w = product.inputs[column], product.weights[column]
        words = QCoreApplication.translate("ParametersView", "dimension {0}").format(column)
        return [words, f"{exact(x)} × {exact(w)}", f"= {fixed(float(product.products[column]), 7)}"]


def sum_text(product: LinearProduct, token: str) -> str:
    """Return the sum in words: products, bias, and the number of the forward pass. `token`: the input."""
    translate = QCoreApplication.translate
    words = translate("ParametersView", "{0} → output {1}: {2} products add up to {3}")
    text = words.format(token, product.output, len(product.inputs), signed(product.sum, 6))
    if product.bias is not None:
        text += translate("ParametersView", ", with the bias {0} to {1}").format(
            signed(product.bias, 6), signed(product.total, 6)
        )
    return text + translate("ParametersView", "; in the model {0}").format(
        exact(np.float32(product.computed))
    )
