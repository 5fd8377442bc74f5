"""The classes of a checkpoint that the labels of a file stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated

from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text_tables.columns import apart, flagged, listed
from bertviz_app.text_tables.table import FLAGS
from bertviz_app.values import dataclass

_BEGINS, _ENDS = re.compile(r"\s*(\d+)\b"), re.compile(r".*(?:^|[\s_-])(\d+)\s*$")
_PARAMETER = Message("Label and its class, as pos=1, neg=0; empty: by their names")
Stated = Annotated[str | None, _PARAMETER]
"""A parameter of studies: which label is which class, as "pos=1, neg=0"; None where `ClassLabels` says so."""


def refuse_several(labels: Iterable[str]) -> None:
    """Raise AnalysisError where a row has several labels, or none, in place of one."""
    for label in labels:
        if listed(label) is not None or flagged(label) is not None:
            raise AnalysisError(
                Message("This study needs one label a text, and a row has several, or none: {0}.", label),
                Message("Give a column with one label for each text."),
            )


@dataclass(frozen=True)
class ClassLabels:
    """The class that each label of a file is, by the names of the `classes`, or as `stated`: "pos=1, neg=0".

    A label is the name of its class. One that is a number is the class whose name begins with that number,
    where all names begin with numbers of their own ("1 star" for 1); else the number of its class, from 0.
    Where names begin or end with other numbers than those of their classes, a number that none of them begins
    with is no label that can be told. In `stated` classes are names, or numbers from 0.
    """

    classes: Sequence[str]
    stated: str | None = None

    @cached_property
    def known(self) -> Mapping[str, int]:
        """The number of the class of each label in small letters.

        Raises AnalysisError where `stated` is no list of a label and a class each.
        """
        names = self._names
        by_number = {str(at): at for at in range(len(self.classes))}
        if self.stated is not None:
            classes, found = by_number | names, {}
            for part in self.stated.split(","):
                label, equals, name = (piece.strip().casefold() for piece in part.partition("="))
                if not equals or not label or name not in classes:
                    raise AnalysisError(
                        Message("“{0}” does not say which class a label is.", part.strip()),
                        Message("Write label=class; the classes are: {0}.", self._listed),
                    )
                found[label] = classes[name]
            return found
        own = {str(number): at for at, number in self._numbers(_BEGINS).items()}
        if len(own) == len(self.classes):
            return own | names
        return names if self._disagrees else by_number | names

    def of(self, label: str) -> int | None:
        """Return the number of the class of a label, None where it is none.

        Raises AnalysisError for a number that may be one of several classes.
        """
        key = label.strip().casefold()
        found = self.known.get(key, self.known.get(str(int(key))) if key.isdecimal() else None)
        if found is None and key.isdecimal() and self.stated is None and self._disagrees:
            message = Message("Which class the label {0} is cannot be told: {1}.", key, self._listed)
            raise AnalysisError(message, self._way_out(key))
        return found

    def held(self, label: str) -> tuple[float, ...] | None:
        """Return 1 for each class that a row has, else 0 [C]; None where one of its labels is no class.

        A list, or labels joined in a cell, name the classes that it has; an object of 0 and 1 has them all.
        Of one class alone 1 and 0 say whether a row has it. Raises AnalysisError as `of`, and for columns of
        0 and 1 that are no classes, or lack one.
        """
        flags = flagged(label)
        if flags is None and len(self.classes) == 1 and self.stated is None and label not in self._names:
            flags = {self.classes[0]: FLAGS[label]} if label in FLAGS else None
        if flags is not None:
            self.refuse_unknown(flags)
            found = {self.of(name): has for name, has in flags.items()}
            if lacking := ", ".join(name for at, name in enumerate(self.classes) if at not in found):
                message = Message("No column says whether a text has these classes: {0}.", lacking)
                raise AnalysisError(message, Message("Give a column of 0 and 1 for each class."))
            return tuple(float(found[at]) for at in range(len(self.classes)))
        numbers = [self.of(one) for one in ((label,) if self.of(label) is not None else apart(label))]
        return None if None in numbers else tuple(float(at in numbers) for at in range(len(self.classes)))

    def refuse_unknown(self, labels: Iterable[str]) -> None:
        """Raise AnalysisError where a label stands for no class: which one it is, is not guessed."""
        if unknown := [label for label in dict.fromkeys(labels) if self.of(label) is None]:
            named = ", ".join(unknown[:5])
            message = Message("The labels {0} are no classes of this checkpoint: {1}.", named, self._listed)
            raise AnalysisError(message, self._way_out(unknown[0]))

    def facts(self, *, has_numbers: bool) -> dict[str, str]:
        """Return "labels", which class each is, as "1=1 star", where that is `stated` or they are numbers."""
        known = [label for label in self.known if self.stated is not None or label not in self._names]
        listed = ", ".join(f"{label}={self.classes[self.known[label]]}" for label in known)
        return {"labels": listed} if known and (has_numbers or self.stated is not None) else {}

    @cached_property
    def _names(self) -> dict[str, int]:
        return {name.casefold(): at for at, name in enumerate(self.classes)}

    @property
    def _listed(self) -> str:
        return ", ".join(self.classes)

    def _way_out(self, label: str) -> Message:
        example = f"{label}={self.classes[0]}"
        return Message("The parameter {0} (“{1}”) says so, as {2}.", "labels", _PARAMETER, example)

    def _numbers(self, pattern: re.Pattern[str]) -> dict[int, int]:
        """Return the number of each class whose name begins or ends with a number, by that."""
        return {at: int(found[1]) for at, name in enumerate(self.classes) if (found := pattern.match(name))}

    @property
    def _disagrees(self) -> bool:
        numbers = (self._numbers(_BEGINS), self._numbers(_ENDS))
        return any(at != number for found in numbers for at, number in found.items())
