"""The studies that window, Python and command line share."""

from __future__ import annotations

from typing import Any

from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.corpora.studies.classifier import judged_texts
from bertviz_app.features.corpora.studies.counterfactuals import pairs_of_texts, swaps_in_texts
from bertviz_app.features.corpora.studies.examples import head_examples
from bertviz_app.features.corpora.studies.layer_similarity import checkpoint_similarity, layer_similarity
from bertviz_app.features.corpora.studies.lenses import train_tuned_lens
from bertviz_app.features.corpora.studies.outcomes import (
    ablation_over_file,
    importance_over_file,
    pruning_over_file,
)
from bertviz_app.features.corpora.studies.probe import text_probe, word_probe
from bertviz_app.features.corpora.studies.relations import head_coreference, head_relations
from bertviz_app.features.corpora.studies.statistics import (
    crossings_over_file,
    distances_over_file,
    measures_over_file,
    patterns_over_file,
    targets_over_file,
)
from bertviz_app.features.corpora.studies.study import Study

STUDIES: tuple[Study[Any, Any], ...] = (
    measures_over_file,
    targets_over_file,
    patterns_over_file,
    crossings_over_file,
    distances_over_file,
    importance_over_file,
    ablation_over_file,
    pruning_over_file,
    head_relations,
    head_coreference,
    word_probe,
    text_probe,
    head_examples,
    layer_similarity,
    checkpoint_similarity,
    train_tuned_lens,
    judged_texts,
    swaps_in_texts,
    pairs_of_texts,
)
"""All studies, in the order in which they are listed."""


def find_study(key: str) -> Study[Any, Any]:
    """Return the study with a key. Raises AnalysisError for another key."""
    for study in STUDIES:
        if study.key == key:
            return study
    keys = ", ".join(study.key for study in STUDIES)
    raise AnalysisError(Message("There is no study “{0}”.", key), Message("There are: {0}.", keys))
