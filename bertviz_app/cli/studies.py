"""`bertviz-app study` and `studies`: an analysis of a whole file, resumed where it was interrupted."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertviz_app.cli.analyses import print_entry, summary
from bertviz_app.cli.arguments import (
    Add,
    Setting,
    add_answers,
    add_model,
    add_settings,
    given_settings,
    number,
    setting,
)
from bertviz_app.cli.corpus import TABLE, TEXTS, WORKERS, CorpusReport, left_out
from bertviz_app.cli.reading import open_model
from bertviz_app.cli.terminal import INTERRUPTED, print_error, print_text, show_progress
from bertviz_app.inference.corpus.studies import ENDINGS, StudySettings

if TYPE_CHECKING:
    from bertviz_app.analysis.results import Result
    from bertviz_app.analysis.studies.study import Study

LABELS = (
    Setting("--label-column", "label_column", "the column with the labels of rows", "NAME"),
    Setting("--text-column", "text_column", "the column with the texts of rows", "NAME"),
    Setting("--pair-column", "pair_column", "the column with their second texts", "NAME"),
)
_MEASURING = (
    Setting(
        "--truncate",
        "truncates",
        "cut texts with more tokens than the model reads; otherwise they are left out",
        read=bool,
    ),
    Setting(
        "--block",
        "block_units",
        "how many texts are measured and saved at a time; unless given, as many as suits the study",
        "N",
        number,
    ),
)
_READ = {
    "texts": "texts, one a line, or the cells of a --column",
    "labelled": "rows of a text with its label",
    "pairs": "rows of two texts",
    "parsed": "parsed sentences (CoNLL-U)",
    "words": "sentences whose words are labelled",
    "mentions": "rows of a text with a mention and its antecedent",
}


def add_study(add: Add) -> None:
    parser = add("study", "run a study of a whole file, and save its numbers", _study)
    parser.add_argument("key", metavar="KEY", help="which study, one that “studies” lists")
    parser.add_argument("file", metavar="FILE", help="the file, of the kind that the study reads")
    add_model(parser)
    parser.add_argument("--other-model", metavar="REF", help="the checkpoint to compare with")
    add_answers(parser)
    parser.add_argument("--out", metavar="FILE", help=f"write all numbers to FILE ({', '.join(ENDINGS)})")
    about = "a parameter of the study, as steps=10; repeatable"
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="NAME=VALUE", help=about)
    add_settings(parser, (*LABELS, *_MEASURING))
    add_settings(parser.add_mutually_exclusive_group(), TEXTS)
    add_settings(parser, TABLE)
    add_settings(parser.add_mutually_exclusive_group(), WORKERS)


def _study(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.entry import facts_of
    from bertviz_app.analysis.parameters import read_parameters
    from bertviz_app.analysis.studies.catalogue import find_study

    study = find_study(options.key)
    read_parameters(
        study.parameters, dict(options.set)
    )  # what is wrong is said before a checkpoint is opened
    results = run_studies(options, {study.key: dict(options.set)}, [options.file])
    if results is None:
        return INTERRUPTED
    print_text(summary(study, results[0]))
    facts = facts_of(results[0])
    if facts:
        print_text(", ".join(f"{name} {_written(value)}" for name, value in facts.items()) + ".")
    if options.out is not None:
        print_text(f"Wrote {options.out}.")
    return 0


def _written(value: str | float) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def run_studies(
    options: argparse.Namespace, chosen: dict[str, dict[str, Any]], files: list[str]
) -> tuple[Result, ...] | None:
    """Return the results of studies of files, and print what was left out; None where Ctrl-C ended them."""
    model = open_model(options)
    try:
        results = model.studies(
            chosen,
            files,
            options.out,
            other=getattr(options, "other_model", None),
            settings=StudySettings(**given_settings(options, StudySettings)),
            listener=CorpusReport(),
        )
    except KeyboardInterrupt:
        show_progress("")
        saved = "What is measured is saved: the same command goes on from there."
        print_error(f"Stopped. {saved if options.out else 'With --out, what is measured would be saved.'}")
        return None
    finally:
        show_progress("")
    about = results[0].about or {}
    file = ""
    if options.out:
        has_ending = bool(Path(options.out).suffix)
        file = f"{options.out}.remarks.csv" if has_ending else f"{options.out.rstrip('/')}/remarks.csv"
    for line in left_out(about["remarks"], (), file):
        print_error(line)
    print_text(f"{about['n_measured']:,} of {about['n_lines']:,} lines were measured.")
    return results


def add_studies(add: Add) -> None:
    add("studies", "list the studies of whole files: what they read, their papers and parameters", _list)


def _list(options: argparse.Namespace) -> int:
    from bertviz_app.analysis.studies.catalogue import STUDIES

    for study in STUDIES:
        print_entry(study, study.parameters, _needs(study))
    return 0


def _needs(study: Study[Any, Any]) -> str:
    from bertviz_app.analysis.entry import Needs

    found = _READ[study.reads]
    if Needs.TASK_HEAD in study.needs:
        found += ", and a task head"
    return f"{found}, and --other-model" if Needs.SECOND_RUN in study.needs else found
