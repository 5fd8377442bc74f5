"""`bertviz-app pretrain`: its arguments and its output on a terminal."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_app.cli.arguments import number
from bertviz_app.cli.printing import progress
from bertviz_app.cli.terminal import Add, Terminal, add_course, command_line, course_settings, run_training
from bertviz_app.errors import Message
from bertviz_app.training.pretraining.settings import (
    LINEAR,
    POSITION_STARTS,
    RANDOM,
    SCHEDULES,
    PretrainingSettings,
)
from bertviz_app.training.settings import TrainingError

if TYPE_CHECKING:
    from bertviz_app.training.pretraining.network import PretrainingNetwork
    from bertviz_app.training.pretraining.settings import Evaluation, StepReport


def add_pretraining(add: Add) -> None:
    parser = add("pretrain", "train a model on texts of your own", _pretrain)
    parser.add_argument(
        "--corpus",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="UTF-8 texts, .xz and .gz too; a blank line between documents, else each line is one",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the model, new")
    parser.add_argument(
        "--model",
        metavar="REF",
        help="begin with the weights, the sizes and the vocabulary of this BERT, named as for the other "
        "commands, instead of random weights",
    )
    _add_end(parser)
    _add_sizes(parser)
    course = add_course(parser)
    _add_schedule(course)
    _add_recipe(course)


def _add_end(parser: argparse.ArgumentParser) -> None:
    about = "whichever comes first; with --schedule constant it may be left out, and set or moved by --resume"
    ends = parser.add_argument_group("its end", about)
    ends.add_argument("--steps", type=number, metavar="N")
    ends.add_argument("--tokens", type=number, metavar="N", help="read, without padding")
    ends.add_argument("--minutes", type=_minutes, metavar="N", help="of training, over all parts of the run")


def _add_sizes(parser: argparse.ArgumentParser) -> None:
    sizes = parser.add_argument_group("the model", "not with --model, whose sizes it has")
    sizes.add_argument("--layers", type=number, metavar="N", help="6 unless given")
    sizes.add_argument("--heads", type=number, metavar="N", help="8 unless given")
    sizes.add_argument("--width", type=number, metavar="N", help="256 unless given")
    sizes.add_argument("--vocab", type=number, metavar="N", help="pieces at most; 16000 unless given")
    sizes.add_argument(
        "--positions", type=number, metavar="N", help="tokens it reads at most; 256 unless given"
    )


def _add_recipe(course: argparse._ArgumentGroup) -> None:
    course.add_argument(
        "--batch", type=number, default=4096, metavar="N", help="tokens a step; 4096 unless given"
    )
    course.add_argument(
        "--batch-growth",
        type=number,
        nargs=2,
        metavar=("FIRST", "TOKENS"),
        help="start with FIRST tokens a step, and grow to --batch over TOKENS tokens",
    )
    course.add_argument(
        "--part",
        type=number,
        default=2048,
        metavar="N",
        help="tokens of one pass; a batch is the sum of several; 2048 unless given",
    )
    course.add_argument(
        "--length", type=number, default=128, metavar="N", help="tokens of an example; 128 unless given"
    )
    course.add_argument(
        "--single",
        type=_share,
        default=0.0,
        metavar="SHARE",
        help="examples that are no pair; 0 unless given",
    )
    course.add_argument(
        "--open",
        type=_share,
        default=0.0,
        metavar="SHARE",
        help="segments without their final full stop, as texts are typed; 0 unless given",
    )
    course.add_argument(
        "--initial-std", type=float, default=0.02, metavar="S", help="of the first weights; 0.02 unless given"
    )
    course.add_argument(
        "--positions-start",
        choices=POSITION_STARTS,
        default=RANDOM,
        help="what the position embeddings are before the training",
    )


def _add_schedule(course: argparse._ArgumentGroup) -> None:
    course.add_argument("--rate", type=float, default=1e-3, metavar="R", help="highest; 0.001 unless given")
    course.add_argument(
        "--schedule",
        choices=SCHEDULES,
        default=LINEAR,
        help="linear: warms up, then falls to 0; constant: warms up, stays, and falls at the end",
    )
    course.add_argument(
        "--cool-down",
        type=_share,
        default=0.1,
        metavar="SHARE",
        help="of the run, over which a constant rate falls at its end; 0.1 unless given",
    )
    course.add_argument(
        "--long-from",
        type=_share,
        default=0.9,
        metavar="SHARE",
        help="from this share of the run on examples are as long as can be; 0.9 unless given",
    )


def _pretrain(options: argparse.Namespace) -> int:
    from bertviz_app.api import pretrain

    sizes = _sizes(options)
    first_batch, growth = options.batch_growth or (None, 0)
    settings = PretrainingSettings(
        n_layers=sizes["n_layers"],
        n_heads=sizes["n_heads"],
        width=sizes["width"],
        vocabulary_size=sizes["vocabulary_size"],
        n_positions=sizes["n_positions"],
        length=min(options.length, sizes["n_positions"]),
        batch_tokens=options.batch,
        first_batch_tokens=first_batch,
        growth_tokens=growth,
        part_tokens=max(min(options.part, options.batch), sizes["n_positions"]),
        single_share=options.single,
        open_share=options.open,
        initial_std=options.initial_std,
        positions_start=options.positions_start,
        schedule=options.schedule,
        cool_down=options.cool_down,
        long_from=options.long_from,
        rate=options.rate,
        steps=options.steps,
        tokens=options.tokens,
        minutes=options.minutes,
        **course_settings(options),
    )
    terminal = _Pretraining()

    def train() -> str:
        command = command_line(options)
        result = pretrain(
            options.corpus,
            options.out,
            settings,
            terminal,
            options.device,
            base=options.model,
            resume=options.resume,
            command=command,
            progress=progress(options.model),
        )
        return _sentence(result)

    return run_training(terminal, options.out, train)


def _sizes(options: argparse.Namespace) -> dict[str, int]:
    """Return the sizes of the model by the names of the settings. Raises TrainingError: not with --model."""
    given = {
        "n_layers": options.layers,
        "n_heads": options.heads,
        "width": options.width,
        "vocabulary_size": options.vocab,
        "n_positions": options.positions,
    }
    if options.model is not None and any(value is not None for value in given.values()):
        message = Message("The sizes are those of the model that the training begins with.")
        raise TrainingError(
            message, Message("Leave out --layers, --heads, --width, --vocab and --positions.")
        )
    defaults = PretrainingSettings()
    return {name: getattr(defaults, name) if value is None else value for name, value in given.items()}


class _Pretraining(Terminal):
    """Shows how far a pre-training is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        stages = {
            "vocabulary": "Making the vocabulary",
            "tokens": "Reading the texts",
            "training": "Training",
        }
        super().__init__(stages)

    def on_step(self, report: StepReport, network: PretrainingNetwork) -> None:
        self.bar(
            report.share,
            report.seconds,
            f"step {report.step:,}  loss {report.masked_loss:.2f} + {report.next_loss:.2f}  "
            f"{report.tokens_per_second:,.0f} tokens/s",
        )

    def on_evaluated(self, result: Evaluation) -> None:
        self.line(_sentence(result))


def _sentence(result: Evaluation) -> str:
    return (
        f"Step {result.step:,}, on held-out text: {result.masked_accuracy:.1%} of the masked tokens "
        f"predicted (loss {result.masked_loss:.3f}; the most frequent piece: {result.baseline:.1%}), "
        f"{result.next_accuracy:.1%} of the pairs classified correctly (loss {result.next_loss:.3f})."
    )


def _minutes(text: str) -> float:
    try:
        found = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no number of minutes") from error
    if not 0 < found < 1e6:
        raise argparse.ArgumentTypeError(f"“{text}” is no number of minutes above 0")
    return found


def _share(text: str) -> float:
    try:
        found = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no number") from error
    if not 0 <= found <= 1:
        raise argparse.ArgumentTypeError(f"“{text}” is no share: it must be from 0 to 1")
    return found
