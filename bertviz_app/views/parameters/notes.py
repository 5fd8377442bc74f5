"""What the Parameters panel writes beside its pages: totals, facts of one parameter, sums, one number."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QCoreApplication

from bertviz_app.viewmodels.parameters import Region, ShownParameters, title
from bertviz_app.viewmodels.results import Coming, Ready
from bertviz_app.viewmodels.wording import all_translated
from bertviz_app.views.kit.numbers import exact, signed
from bertviz_app.views.parameters.product_page import sum_text


def total_text(shown: ShownParameters) -> str:
    """Return how many parameters there are."""
    translate, state = QCoreApplication.translate, shown.table
    if not isinstance(state, Ready):
        return translate("ParametersView", "Reading …") if isinstance(state, Coming) else ""
    table = state.value.table
    words = translate("ParametersView", "{0} parameters in {1} matrices and vectors – click to show one")
    return words.format(f"{table.total:,}", len(table))


def facts_text(shown: ShownParameters) -> str:
    """Return what the chosen parameter is, its name in the file, its shape, and its range, as rich text."""
    entry, state = shown.entry, shown.matrix
    if entry is None:
        return ""
    parts = [entry.name] if entry.name else []
    parts.append(" × ".join(map(str, entry.shape)))
    if isinstance(state, Ready) and shown.choice.page == "picture":
        matrix = state.value.matrix
        words = QCoreApplication.translate("ParametersView", "from {0} to {1}, 99 of 100 within ±{2}")
        limit = signed(matrix.limit, 3).lstrip("+")
        parts.append(words.format(signed(matrix.lowest, 3), signed(matrix.highest, 3), limit))
    if entry.notes:
        parts.append(all_translated(entry.notes))
    return f"<b>{escape(title(entry))}</b><br>" + escape(" · ".join(parts), quote=False)


def sum_of(shown: ShownParameters) -> str | None:
    """Return how the chosen output of the token comes about; None where nothing is multiplied, or not yet."""
    state = shown.product
    if not isinstance(state, Ready):
        return None
    product, labels = state.value, shown.trace.tokens.labels
    whole = QCoreApplication.translate("ParametersView", "whole text")
    return sum_text(product, whole if product.token is None else f"“{labels[product.token]}”")


def why_no_product(shown: ShownParameters) -> str:
    """Return why nothing is multiplied by what is chosen."""
    if shown.is_difference:
        return QCoreApplication.translate(
            "ParametersView", "Choose run A or run B: a difference of matrices is multiplied by nothing."
        )
    return QCoreApplication.translate(
        "ParametersView", "This is not the matrix of a linear map: no input is multiplied by its rows."
    )


def read_out(shown: ShownParameters, row: int, column: int, region: Region) -> list[str]:
    """Return one number, exact, where it is, and whose colour its pixel has if several cells share it."""
    translate, state, entry = QCoreApplication.translate, shown.matrix, shown.entry
    if not isinstance(state, Ready) or entry is None:
        return []
    matrix, name = state.value.matrix, state.value.row_name
    at = translate("ParametersView", "row {0}, column {1}").format(row, column)
    if not entry.is_matrix:
        at = translate("ParametersView", "number {0}").format(column)
    lines = [exact(matrix.value(row, column)), at]
    if name is not None:
        lines.append(name(row))
    head = shown.head_of(row if entry.is_matrix else column)
    if head is not None:
        lines.append(translate("ParametersView", "head {0}, dimension {1} of it").format(*head))
    block = matrix.block(*region.block_at(row, column))
    if block.size > 1:
        farthest = block.flat[abs(block).argmax()]
        words = translate("ParametersView", "colour: {0}, the largest of {1} numbers here")
        lines.append(words.format(exact(farthest), block.size))
    return lines
