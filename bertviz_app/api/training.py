"""`pretrain` and `finetune`: training of own checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Unpack

from bertviz_app.api.answers import as_progress
from bertviz_app.api.arguments import as_device, as_ref
from bertviz_app.inference.opened_checkpoint import find_device, open_base, training_memory
from bertviz_app.text_tables.table import TableArguments, TableChoices
from bertviz_app.training.finetuning.settings import TuningListener, TuningSettings, TuningVerdict
from bertviz_app.training.pretraining.settings import (
    Evaluation,
    PretrainingListener,
    PretrainingSettings,
)
from bertviz_app.training.settings import SilentListener
from bertviz_app.types import Progress


def pretrain(  # noqa: PLR0913 - each is named by its callers
    files: str | Path | Sequence[str | Path],
    out: str | Path,
    settings: PretrainingSettings,
    listener: PretrainingListener | None = None,
    device: str = "auto",
    *,
    base: str | PathLike[str] | None = None,
    resume: bool = False,
    command: str = "",
    progress: Progress | None = None,
) -> Evaluation:
    """Train a BERT on texts, and return how well it predicts held-out ones.

    Parameters
    ----------
    files : str or Path, or a sequence of them
        UTF-8 texts; a blank line separates the documents of a file.
    out : str or Path
        The folder of the checkpoint, in Hugging Face's layout and with a model card, for `open_model`.
    settings : PretrainingSettings
        The end, which must be given, and without `base` the sizes: `PretrainingSettings(steps=1000)`.
    listener : PretrainingListener, optional
        Receives each step; may raise `Cancelled`.
    base, device : str, optional
        As for `open_model`. The weights, sizes and tokenizer of the checkpoint `base` are what the training
        begins with, in place of random ones. Keep the seed then: it chooses which texts are held out.
    resume : bool
        Whether to go on with a run that was stopped.
    command : str
        The command that the model card names.
    progress : callable, optional
        Called with the bytes of the checkpoint read and the bytes in all.

    Returns
    -------
    Evaluation
        Losses in nats and accuracies from 0 to 1, on texts that are held out.

    Raises
    ------
    TrainingError, FileError, CheckpointError, HubError, DeviceError
        For settings, files, a checkpoint or a device that cannot be used.

    References
    ----------
    Devlin et al. 2019, arXiv:1810.04805, section 3.1.
    """
    found = find_device(as_device(device))
    listener = listener or SilentListener()
    start = None
    if base is not None:
        start = open_base(as_ref(base), as_progress(progress, "pretrain"), listener.check)
    from bertviz_app.training.pretraining import run

    paths = [Path(file) for file in ([files] if isinstance(files, str | PathLike) else files)]
    with training_memory():
        return run.pretrain(
            paths, Path(out), settings, listener, found.name, base=start, resume=resume, command=command
        )


def finetune(  # noqa: PLR0913 - each is named by its callers
    ref: str | PathLike[str] | None,
    data: str | Path,
    out: str | Path,
    settings: TuningSettings | None = None,
    listener: TuningListener | None = None,
    device: str = "auto",
    *,
    test: str | Path | None = None,
    resume: bool = False,
    command: str = "",
    progress: Progress | None = None,
    **table: Unpack[TableArguments],
) -> TuningVerdict:
    """Train a classifier on top of a BERT, and return how well it predicts the labels of other rows.

    Labels that are real numbers are predicted as such; those of words (CoNLL, KLUE-NER) at the first token.

    Parameters
    ----------
    ref : str, optional
        The checkpoint to begin with, as for `open_model`; it stays as it is.
    data, test : str or Path
        Tables of labels and texts, or pairs of texts: TSV, CSV, JSON lines or a JSON array, in any encoding,
        also packed. Without `test` a share of the rows of `data` is held out.
    out, listener, device, resume, command, progress
        As for `pretrain`.
    settings : TuningSettings, optional
        How long and how fast it learns.
    table : str, optional
        How the tables are read: `label_column`, `text_column`, `pair_column` by their names or numbers from
        1, `separator` ("tab"), `encoding` ("cp949"), `target` ("classes", "scores" or "tokens").

    Returns
    -------
    TuningEvaluation, ScoreEvaluation or TagEvaluation
        The loss in nats and the accuracy from 0 to 1; of scores squared error and correlations.

    Raises
    ------
    TrainingError, FileError, TableError, CheckpointError, HubError, DeviceError
        For settings, files, columns, a checkpoint or a device that cannot be used.

    References
    ----------
    Devlin et al. 2019, arXiv:1810.04805, sections 4.1 and 5.3.
    """
    found = find_device(as_device(device))
    listener = listener or SilentListener()
    base = open_base(as_ref(ref), as_progress(progress, "finetune"), listener.check)
    from bertviz_app.training.finetuning import run as finetuning

    with training_memory():
        return finetuning.finetune(
            *(base, Path(data), Path(out), settings or TuningSettings(), listener, found.name),
            test=None if test is None else Path(test),
            resume=resume,
            command=command,
            choices=TableChoices(**table),
        )
