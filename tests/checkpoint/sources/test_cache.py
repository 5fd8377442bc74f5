"""What is pasted as the name of a model on the hub."""

from __future__ import annotations

from pathlib import Path

import pytest
from huggingface_hub.utils import HFValidationError, validate_repo_id

from bertviz_app.checkpoint.sources.source import hub_ref, hub_snapshot, is_hub_id

PAGE = "https://huggingface.co/org/name"


@pytest.mark.parametrize(
    ("pasted", "ref"),
    [
        (" org/name ", "org/name"),
        ("org/name@v2", "org/name@v2"),
        ("all-MiniLM-L6-v2", "all-MiniLM-L6-v2"),
        (PAGE, "org/name"),
        (f"{PAGE}/", "org/name"),
        (f"{PAGE}.git", "org/name"),
        (f"{PAGE}.git/", "org/name"),
        (f"{PAGE}?library=transformers", "org/name"),
        (f"{PAGE}/tree/main", "org/name@main"),
        (f"{PAGE}/blob/v2/config.json", "org/name@v2"),
        (f"{PAGE}/discussions", "org/name"),
        ("http://mirror.local:8080/org/name", "org/name"),
        ("https://huggingface.co", "https://huggingface.co"),
        ("https://huggingface.co/org", "https://huggingface.co/org"),
    ],
)
def test_the_address_of_a_page_names_the_model(pasted: str, ref: str) -> None:
    assert hub_ref(pasted) == ref


@pytest.mark.parametrize(
    "ref",
    [
        *("org/name", "o/n", "org/na.me-1_", "org/name@v1", "org/name.git2", "org/name.git", "org/name."),
        *("org/name-", "org/a..b", "org-/name", "org./name", "o--rg/name", "org/.name", "org/-"),
        *("org/" + "n" * 92, "org/" + "n" * 93),
    ],
)
def test_a_name_is_one_of_the_hub_where_its_library_takes_it(ref: str) -> None:
    taken = True
    try:
        validate_repo_id(ref.partition("@")[0])
    except HFValidationError:
        taken = False
    assert is_hub_id(ref) == (taken and len(ref) <= 96)


def test_a_snapshot_in_the_cache_has_an_id_and_a_commit(tmp_path: Path) -> None:
    folder = tmp_path / "models--org--some-name" / "snapshots" / "a1b2c3"
    assert hub_snapshot(folder) == ("org/some-name", "a1b2c3")
    assert hub_snapshot(tmp_path / "models--gpt2" / "snapshots" / "a1") == ("gpt2", "a1")
    assert hub_snapshot(tmp_path / "snapshots" / "a1b2c3") == ("", "")
    assert hub_snapshot(Path("/")) == ("", "")
