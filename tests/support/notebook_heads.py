"""Task heads as notebooks write them, above the encoders of the other notebooks."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from tests.support.notebooks import KINDS, N_HEADS, N_PIECES, WIDTH, NotebookModel, Output, drawn
from tests.support.torch_notebooks import ModelCodertimo, ModelOfTokens, ModelTorch


class WithHeads(NotebookModel):
    """A model with task heads beside `bert`; `logits` has what they make of its output."""

    kind = "a"

    def __init__(self) -> None:
        super().__init__()
        self.bert = KINDS[self.kind]()

    def forward(self, ids: Tensor, segment_ids: Tensor) -> Output:
        output = self.bert(ids, segment_ids)
        assert isinstance(output, Output)
        return output

    def logits(self, output: Output) -> dict[str, Tensor]:
        """Return [1, N] of each task head, [1, T, V] of masked tokens."""
        raise NotImplementedError


class Pretrained(WithHeads):
    """The two heads of pre-training; "it follows" is output 1."""

    config: ClassVar[dict[str, object]] = KINDS["a"].config
    answers: ClassVar[dict[str, object]] = {"follows": 1}

    def __init__(self) -> None:
        super().__init__()
        self.projection_cls = nn.Linear(WIDTH, 2, bias=False)
        self.projection_lm = nn.Linear(WIDTH, N_PIECES, bias=False)

    def logits(self, output: Output) -> dict[str, Tensor]:
        assert output.pooled is not None
        of_pair = self.projection_cls(output.pooled)
        return {"next_sentence": of_pair.flip(-1), "masked": self.projection_lm(output.hidden[-1])}


class OfPooled(WithHeads):
    """A classifier of the pooled vector, with names for its classes."""

    kind = "b"
    config: ClassVar[dict[str, object]] = KINDS["b"].config
    answers: ClassVar[dict[str, object]] = {"labels": ["bad", "fair", "good"]}

    def __init__(self) -> None:
        super().__init__()
        self.classifier = nn.Linear(WIDTH, 3)

    def logits(self, output: Output) -> dict[str, Tensor]:
        return {"classes": self.classifier(output.pooled)}


class OfPooledWithoutPretraining(WithHeads):
    """The name of a head for next sentences, here of classes: there is none for masked tokens."""

    config: ClassVar[dict[str, object]] = KINDS["a"].config

    def __init__(self) -> None:
        super().__init__()
        self.projection_cls = nn.Linear(WIDTH, 2, bias=False)

    def logits(self, output: Output) -> dict[str, Tensor]:
        return {"classes": self.projection_cls(output.pooled)}


class TwoLayers(WithHeads):
    """Two dense layers of the mean of all tokens."""

    kind = "c"
    config: ClassVar[dict[str, object]] = KINDS["c"].config
    answers: ClassVar[dict[str, object]] = {"classifier_reads": "mean", "classifier_activation": "relu"}

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(WIDTH, 20)
        self.fc2 = nn.Linear(20, 5)

    def logits(self, output: Output) -> dict[str, Tensor]:
        return {"classes": self.fc2(torch.relu(self.fc1(output.hidden[-1].mean(1))))}


class InSequence(WithHeads):
    """A `torch.nn.Sequential` of the first token."""

    kind = "c"
    config: ClassVar[dict[str, object]] = KINDS["c"].config
    answers: ClassVar[dict[str, object]] = {"classifier_reads": "first", "classifier_activation": "tanh"}

    def __init__(self) -> None:
        super().__init__()
        self.classifier = nn.Sequential(
            nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Dropout(0.1), nn.Linear(WIDTH, 4)
        )

    def logits(self, output: Output) -> dict[str, Tensor]:
        return {"classes": self.classifier(output.hidden[-1][:, 0])}


class OfTokens(ModelOfTokens):
    """Tokens alone, their mean, and one dense layer."""

    config: ClassVar[dict[str, object]] = {"n_heads": N_HEADS, "eps": 1e-5}
    answers: ClassVar[dict[str, object]] = {"positions": "none", "classifier_reads": "mean"}

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(WIDTH, 2)

    def logits(self, output: Output) -> dict[str, Tensor]:
        """Return [1, N] of the classes."""
        return {"classes": self.fc(output.hidden[-1].mean(1))}


class OfTorch(ModelTorch):
    """A head for masked tokens, and a classifier of the largest numbers."""

    answers: ClassVar[dict[str, object]] = {**ModelTorch.answers, "classifier_reads": "max"}

    def __init__(self) -> None:
        super().__init__()
        self.decoder = nn.Linear(WIDTH, N_PIECES)
        self.fc = nn.Linear(WIDTH, 3)

    def logits(self, output: Output) -> dict[str, Tensor]:
        """Return the logits of both."""
        last = output.hidden[-1]
        return {"masked": self.decoder(last), "classes": self.fc(last.max(1).values)}


class _Linear(nn.Module):
    def __init__(self, n_outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(WIDTH, n_outputs)


class OfCodertimo(ModelCodertimo):
    """Its own two heads of the first token and of all tokens; "it follows" is output 1."""

    def __init__(self) -> None:
        super().__init__()
        self.next_sentence = _Linear(2)
        self.mask_lm = _Linear(N_PIECES)

    def logits(self, output: Output) -> dict[str, Tensor]:
        """Return the logits of both."""
        last = output.hidden[-1]
        return {
            "next_sentence": self.next_sentence.linear(last[:, 0]).flip(-1),
            "masked": self.mask_lm.linear(last),
        }


HeadedModel = WithHeads | OfTokens | OfTorch | OfCodertimo
HEADED: dict[str, type[HeadedModel]] = {
    "a, pre-training": Pretrained,
    "a, classes": OfPooledWithoutPretraining,
    "b, classes": OfPooled,
    "c, two layers": TwoLayers,
    "c, in sequence": InSequence,
    "tokens alone, classes": OfTokens,
    "torch": OfTorch,
    "codertimo": OfCodertimo,
}


def random_headed(name: str, seed: int = 0) -> HeadedModel:
    """Return the model `name`, every parameter drawn."""
    model = HEADED[name]()
    drawn(model, seed)
    return model
