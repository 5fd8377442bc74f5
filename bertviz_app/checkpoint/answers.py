"""The user's answers to what a checkpoint's files do not say, saved beside it. Loads no torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

from bertviz_app import paths
from bertviz_app.checkpoint.folder import ANSWERS, file_in, read_object, settings_file
from bertviz_app.checkpoint.question_table import QUESTIONS
from bertviz_app.checkpoint.questions import NO_ANSWERS, Answers, validate_parts
from bertviz_app.errors import CheckpointError, FileError, Message
from bertviz_app.json_store import decode

__all__ = ["NO_ANSWERS", "Answers", "answers_in", "save_answers", "saved_answers", "saved_answers_file"]


def saved_answers(folder: Path) -> Answers:
    """Return the saved answers for the checkpoint in `folder`. Raises CheckpointError for a damaged file."""
    path = saved_answers_file(folder)
    if path is None:
        return NO_ANSWERS
    return _decoded(path, read_object(path), Message("Remove {0}, and answer again.", path))


def save_answers(folder: Path, answers: Answers) -> Path:
    """Write `answers` beside the checkpoint, or with the settings if its folder cannot be written.

    Returns the file. Raises FileError if neither can be written.
    """
    beside, in_settings = folder / ANSWERS, settings_file("checkpoints", folder)
    with suppress(FileError):
        _write(beside, answers)
        with suppress(OSError):
            in_settings.unlink(missing_ok=True)  # it would be preferred
        return beside
    with suppress(OSError):  # writing reports the reason
        in_settings.parent.mkdir(parents=True, exist_ok=True)
    _write(in_settings, answers)
    return in_settings


def saved_answers_file(folder: Path) -> Path | None:
    """Return the file with the saved answers, or None.

    Of two files the one with the settings is the newer: it was written because the other could not be.
    """
    in_settings = settings_file("checkpoints", folder)
    return in_settings if in_settings.is_file() else file_in(folder, ANSWERS)


def _write(path: Path, answers: Answers) -> None:
    with paths.replacing(path) as beside:
        beside.write_text(json.dumps(answers.given(), indent=2) + "\n", encoding="utf-8")


def answers_in(path: Path) -> Answers:
    """Return the answers in a JSON file that the user names, of the form of those saved beside checkpoints.

    An object of nothing but parts, by the names of tensors, counts as its “parts”. Raises CheckpointError.
    """
    content = read_object(path)
    if content and not {field.name for field in fields(Answers)} & set(content):
        content = {"parts": content}
    return _decoded(path, content, Message("Correct {0}.", path))


def _decoded(path: Path, content: Mapping[str, object], hint: Message) -> Answers:
    try:
        answers = decode(Answers, dict(content))
        if not all(QUESTIONS[name].accepts(value) for name, value in answers.given().items()):
            raise ValueError("out of range")
    except ValueError as error:
        names = ", ".join(field.name for field in fields(Answers))
        message = Message("{0} has an answer that can be none: one of {1} is wrong.", path.name, names)
        raise CheckpointError(message, hint) from error
    validate_parts(answers.parts)
    return answers.without(("links",))  # a folder from elsewhere must not allow its own links
