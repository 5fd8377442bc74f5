"""The questions about the files of a checkpoint: adapters, the checkpoint they are added to, and links."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFileDialog, QPushButton

from bertviz_app.checkpoint.questions import LARGEST_ALPHA, Questions
from bertviz_app.viewmodels.runs.answering import Answering
from bertviz_app.views.bars.answer_questions import TypedQuestion
from bertviz_app.views.bars.choice_questions import ChoiceQuestion, Wording
from bertviz_app.views.kit.style import named

_MOST_LINKS = 3


class AdapterQuestion(ChoiceQuestion):
    """Whether an adapter beside the weights is added to them."""

    field = "adapter"

    def words(self) -> Wording:
        return Wording(
            self.tr("Is the adapter added to the weights?"),
            self.tr(
                "The folder holds a whole model and an adapter. If the model was saved after the adapter was "
                "merged into it, adding it again would count it twice."
            ),
            {
                True: (self.tr("Add it"), self.tr("The model with the adapter added to its weights")),
                False: (self.tr("Leave it out"), self.tr("The model as its own weights have it")),
            },
        )


class LinksQuestion(ChoiceQuestion):
    """Whether links that lead out of the folder are followed."""

    field = "links"

    def words(self) -> Wording:
        open_questions = self._answering.open_questions
        links = () if open_questions is None else open_questions.questions.links
        listed = ", ".join(links[:_MOST_LINKS]) + (" …" if len(links) > _MOST_LINKS else "")
        return Wording(
            self.tr("Follow the links in the folder?"),
            self.tr(
                "They lead out of it, to: {0}. Allow this only in a folder that you made yourself; a link "
                "that is changed later is asked about again."
            ).format(listed),
            {True: (self.tr("Follow them"), self.tr("Read the files that the links lead to"))},
        )


class BaseQuestion(TypedQuestion):
    """Which checkpoint an adapter is added to."""

    def retranslate(self) -> None:
        self.name.setText(self.tr("The checkpoint that the adapter is added to"))
        self.field.setAccessibleName(self.name.text())
        self.meaning.setText(
            self.tr("A folder, or org/name: a model of the hub that is not on this computer is downloaded.")
        )

    def refresh(self) -> None:
        self.retranslate()
        open_questions = self._answering.open_questions
        stated = "" if open_questions is None else open_questions.questions.base
        tip = self.tr("The name in the adapter's own file")
        self.offer([(stated, tip)] if stated else [])
        self.show_typed(str(self._answering.typed.chosen.get("base", "")))

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        self._answering.typed.choose("base", text if text.strip() else None)


class TokenizerQuestion(TypedQuestion):
    """The folder of the tokenizer that texts are read with."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self.choose = named(QPushButton(), "small")
        self.row.insertWidget(1, self.choose)
        named(self.field, "answers")  # which may be wide: it is a path
        self.row.setStretchFactor(self.field, 8)
        self.choose.clicked.connect(self._on_choose_clicked)

    def retranslate(self) -> None:
        self.name.setText(self.tr("The folder of the tokenizer"))
        self.field.setAccessibleName(self.name.text())
        self.choose.setText(self.tr("Choose a tokenizer folder …"))
        self.meaning.setText(
            self.tr(
                "With vocab.txt, tokenizer.json, or a SentencePiece .model: the tokenizer that the model was "
                "trained with. Its ids and special tokens are compared with the weights; what fits by chance "
                "only gives numbers that mean nothing. An empty field means the checkpoint's own."
            )
        )

    def refresh(self) -> None:
        self.retranslate()
        self.offer([])
        self.show_typed(str(self._answering.typed.chosen.get("tokenizer", "")))

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        self._answering.typed.choose("tokenizer", text.strip())

    @Slot()
    def _on_choose_clicked(self) -> None:
        title = self.tr("Choose the folder of a tokenizer")
        folder = QFileDialog.getExistingDirectory(self, title, self.field.text())
        if folder:
            self._on_text_edited(folder)


class AlphaQuestion(TypedQuestion):
    """The numerator of the scale of a LoRA among the weights."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(answering)
        self._text = ""

    def retranslate(self) -> None:
        self.name.setText(self.tr("Alpha of the LoRA"))
        self.field.setAccessibleName(self.name.text())
        self.meaning.setText(
            self.tr(
                "The product of its two matrices is multiplied by alpha / rank: look for lora_alpha in the "
                "code that trained it. 0 if the weights were saved in evaluation mode: loralib had added it "
                "then."
            )
        )

    def refresh(self) -> None:
        self.retranslate()
        open_questions, chosen = (
            self._answering.open_questions,
            self._answering.typed.chosen.get("lora_alpha"),
        )
        self._offer(Questions() if open_questions is None else open_questions.questions)
        if open_questions is not None and "lora_alpha" not in open_questions.names:
            self._text = ""
        if _number(self._text) != chosen:
            self._text = "" if chosen is None else f"{chosen:g}"
        self.show_typed(self._text)
        is_wrong = bool(self._text.strip()) and chosen is None
        self.show_verdict(
            self.tr("Enter a number of 0 or more.") if is_wrong else "", "no number" if is_wrong else "fine"
        )

    def _offer(self, questions: Questions) -> None:
        rank = questions.rank
        tips = {
            1: self.tr("loralib, the default"),
            rank: self.tr("A scale of 1"),
            2 * rank: self.tr("A scale of 2"),
        }
        usual = [(str(alpha), tip) for alpha, tip in sorted(tips.items()) if alpha]
        self.offer([("0", self.tr("The weights include it already")), *usual])

    @Slot(str)
    def _on_text_edited(self, text: str) -> None:
        self._text = text
        self._answering.typed.choose("lora_alpha", _number(text))


def _number(text: str) -> float | None:
    try:
        found = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return found if 0 <= found < LARGEST_ALPHA else None
