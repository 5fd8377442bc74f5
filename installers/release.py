"""`make release`: builds and checks everything a release needs, and makes its tag; uploads nothing.

It stops at the first thing that is wrong. The version is that of `bertviz_app/version.py`, which is raised by
hand; the notes are its section in CHANGELOG.md. `--check` does all but build, prove and tag.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from bertviz_app.version import __version__  # noqa: E402

NOTES = "dist/RELEASE_NOTES.md"
_STEPS = (
    ("the tests pass", ["make", "test"]),
    ("the packages are built", ["make", "package"]),
    ("what was built works in empty roots", ["make", "prove"]),
)
LEFT_TO_DO = """Nothing was uploaded. What is left to whoever publishes:
  git push origin v{version}
  upload the files of dist/ beside dist/RELEASE_NOTES.md, with SHA256SUMS
  python -m twine upload dist/*.whl dist/*.tar.gz     (if the package index is to have it)
  build the installers for Windows and macOS: .github/workflows/package.yml"""


class ReleaseError(Exception):
    """Why there can be no release yet."""


def notes_of(version: str, changelog: str) -> tuple[str, str]:
    """Return the day and the text of a version's section. Raises ReleaseError where it is not ready."""
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    for section in sections:
        title, _, text = section.partition("\n")
        found = re.fullmatch(rf"{re.escape(version)}(?:, (\d{{4}}-\d\d-\d\d))?", title.strip())
        if found is None:
            continue
        if found[1] is None:
            raise ReleaseError(f"CHANGELOG.md: write the day beside the version, “## {version}, YYYY-MM-DD”.")
        if not text.strip():
            raise ReleaseError(f"CHANGELOG.md: the section of {version} is empty.")
        return found[1], text.strip()
    raise ReleaseError(f"CHANGELOG.md has no section “## {version}, YYYY-MM-DD”: rename “## Unreleased”.")


def check_version(version: str, tags: list[str]) -> None:
    """Raise ReleaseError unless a version is newer than every tag."""
    if re.fullmatch(r"\d+\.\d+\.\d+", version) is None:
        raise ReleaseError(f"The version {version} is not MAJOR.MINOR.PATCH.")
    released = [tag.removeprefix("v") for tag in tags if re.fullmatch(r"v\d+\.\d+\.\d+", tag)]
    newest = max(released, key=_numbers, default="0.0.0")
    if _numbers(version) <= _numbers(newest):
        raise ReleaseError(f"{version} is not newer than {newest}: raise it in bertviz_app/version.py.")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def git(*arguments: str) -> str:
    """Run git in the project and return what it printed."""
    done = subprocess.run(["git", *arguments], cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def check() -> str:
    """Return the notes. Raises ReleaseError where the checkout is not what can be released."""
    if git("status", "--porcelain"):
        raise ReleaseError("The checkout has changes that are not committed.")
    check_version(__version__, git("tag", "--list", "v*").split())
    day, text = notes_of(__version__, (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8"))
    return f"# BertViz App {__version__}, {day}\n\n{text}\n"


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only see whether everything is ready")
    only_checks = parser.parse_args().check
    try:
        notes = check()
        if only_checks:
            print(notes)
            return 0
        for claim, command in _STEPS:
            print(f"{claim}: {' '.join(command)}", flush=True)
            if subprocess.run(command, cwd=PROJECT, check=False).returncode:
                raise ReleaseError(f"It does not hold that {claim}.")
        (PROJECT / NOTES).write_text(notes, encoding="utf-8")
        git("tag", "--annotate", f"v{__version__}", "--message", notes)
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    print(LEFT_TO_DO.format(version=__version__))
    return 0


if __name__ == "__main__":
    sys.exit(main())
