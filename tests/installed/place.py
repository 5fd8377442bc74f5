"""A place in which the program is installed as people have it: nothing of the checkout, nothing optional."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from bertviz_app.shell.process import NEEDED

ROOT = Path(__file__).resolve().parents[2]
_WALK = Path(__file__).with_name("walk.py")
_CLOSE = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
"""What a shell runs in a namespace of its own: the installation, its first argument, becomes read-only."""
_AS_OTHERS = ("setpriv", "--bounding-set=-dac_override,-fowner")
"""Runs a command for which permissions hold though it is root's, as in a container without mounts."""


@dataclass(frozen=True)
class Place:
    """The installation, the home of its user and the empty folder in which it is started."""

    program: Path
    home: Path
    work: Path

    @property
    def python(self) -> Path:
        return self.program / "bin" / "python"

    def walk(self, *arguments: str, timeout: float) -> tuple[int, str]:
        """Walk through the program; return its exit code and what it printed."""
        means, before = self._closed_off()
        shutil.copy(_WALK, self.work / "walk.py")
        command = [*before, str(self.python), "-I", "walk.py", *arguments]
        environment = {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HF_HUB_OFFLINE": "1",
        }
        log = self.work.parent / "walk.txt"
        with log.open("w", encoding="utf-8") as output:
            output.write(f"{means}\n")
            output.flush()
            done = subprocess.run(
                command,
                cwd=self.work,
                env=environment,
                stdout=output,
                stderr=output,
                timeout=timeout,
                check=False,
            )
        return done.returncode, log.read_text(encoding="utf-8")

    def _closed_off(self) -> tuple[str, list[str]]:
        """Return in words how nothing is written or fetched, and what is put before a command for it."""
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        for namespaces, words in (
            (["--mount", "--net"], "The installation is a read-only mount, and there is no network."),
            (["--mount"], "The installation is a read-only mount."),
        ):
            before = ["unshare", *user, *namespaces, "sh", "-c", _CLOSE, str(self.program)]
            if shutil.which("unshare") and subprocess.run([*before, "true"], check=False).returncode == 0:
                return words, before
        for path in (self.program, *self.program.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~0o222)
        words = "Nothing can be mounted here: the installation is read-only by its permissions"
        is_root = os.geteuid() == 0 and shutil.which("setpriv") is not None
        if is_root and subprocess.run([*_AS_OTHERS, "true"], check=False).returncode == 0:
            return f"{words}, for root, too.", [*_AS_OTHERS]
        return f"{words}.", []


def make_place(folder: Path) -> Place:
    """Build the wheel of this checkout and install it below a folder."""
    place = Place(folder / "program", folder / "학생의 home", folder / "empty folder")
    for path in (place.home, place.work):
        path.mkdir(parents=True)
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "wheel"))
    _run(sys.executable, "-m", "venv", "--without-pip", str(place.program))
    (wheel,) = (folder / "wheel").glob("*.whl")
    pip = (sys.executable, "-m", "pip", "--python", str(place.python))
    _run(*pip, "install", "--quiet", "--no-index", "--no-deps", str(wheel))
    (packages,) = place.program.glob("lib/python*/site-packages")
    for name in needed():
        _share(name, packages)
    return place


def needed() -> list[str]:
    """Return the distributions that the program needs, and those that these need, without optional ones."""
    found: dict[str, None] = {}
    waiting = [*NEEDED.values()]
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in found:
            continue
        found[name] = None
        for line in metadata.requires(name) or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return [*found]


def _share(name: str, packages: Path) -> None:
    """Link what a distribution of this environment has at the top, under the same names."""
    distribution = metadata.distribution(name)
    for top in {path.parts[0] for path in distribution.files or () if path.parts[0] != ".."}:
        link, target = packages / top, Path(str(distribution.locate_file(top)))
        if top != "__pycache__" and target.exists() and not link.exists():
            link.symlink_to(target)


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
