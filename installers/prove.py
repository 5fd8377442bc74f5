"""Proves what `make package` built, in empty roots: `python installers/prove.py bookworm trixie`, as root.

In each root, made by debootstrap, a user who has nothing installs the .deb, then unpacks the AppImage. With
each they open a window on an X server with a sentence, open a checkpoint, train two steps, write a PDF, run
every analysis (in the first root), walk through all that the window offers (in the others through one of each
kind), and remove it: nothing of it is left but what the user made. Before that the time to the first window
is compared with that of the virtual environment, on this machine. Pictures of the screens, what the walks
said and a table are written to `dist/proof`. A root that cannot be fetched fails, and is named.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
DIST = PROJECT / "dist"
PROOF = DIST / "proof"
WALK = PROJECT / "tests/installed/walk.py"
TEXT = "A cat ate the fish because it was hungry"
OTHER_TEXT = "The dog barked at the postman"
OF_UBUNTU = ("jammy", "noble")
MOST_SLOWER = 1.5
_TRIES = 5
_PATIENCE = 300  # seconds for a window: the machine may be busy
_LONGEST_WALK = 10_800  # seconds
_OF_THE_USER = (".config/bertviz-app", ".local/share/bertviz-app", "work")


class ProofError(Exception):
    """A claim that does not hold."""


@dataclass(frozen=True)
class Root:
    """An empty system in a folder, and the user in it."""

    name: str
    path: Path
    display: str

    @property
    def home(self) -> Path:
        """The home of the user, as this machine sees it."""
        return self.path / "home/student"

    def as_root(self, *command: str) -> str:
        """Run a command as the system's root and return what it printed."""
        return run(
            "chroot", str(self.path), "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", *command
        )

    def user_command(self, *command: str, **environment: str) -> list[str]:
        """Return a command line that runs a command as the user, in their home."""
        given = {
            "HOME": "/home/student",
            "USER": "student",
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            **environment,
        }
        variables = [f"{name}={value}" for name, value in given.items()]
        inside = ["sh", "-c", 'cd "$HOME" && exec "$@"', "sh", *command]
        return ["chroot", "--userspec=student:student", str(self.path), "env", "-i", *variables, *inside]

    def as_user(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command as the user; it may fail."""
        line = self.user_command(*command, **environment)
        return subprocess.run(line, capture_output=True, text=True, timeout=900, check=False)


def run(*command: str) -> str:
    """Run a command of this machine and return what it printed. Raises ProofError where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise ProofError(f"{' '.join(command)[:200]}\n{done.stdout[-3000:]}")
    return done.stdout


def built(pattern: str) -> Path:
    """Return the newest file in dist/ of this kind."""
    found = sorted(DIST.glob(pattern), key=lambda path: path.stat().st_mtime)
    if not found:
        raise ProofError(f"There is no {pattern} in dist/: run make package first.")
    return found[-1]


def main() -> int:
    """Prove everything; print what holds, and what could not be tried."""
    if os.geteuid() != 0:
        print("Run it as root: it makes empty systems in folders and enters them.", file=sys.stderr)
        return 1
    shutil.rmtree(PROOF, ignore_errors=True)
    PROOF.mkdir(parents=True)
    results: dict[str, str] = {}
    claims: dict[str, Callable[[], str]] = {"first window": compare_first_window}
    for number, suite in enumerate(sys.argv[1:] or ["bookworm"]):
        claims[suite] = partial(prove_root, suite, is_first=number == 0)
    for name, claim in claims.items():
        began = time.monotonic()
        try:
            results[name] = claim()
        except (ProofError, OSError, subprocess.TimeoutExpired) as error:
            results[name] = f"FAILED: {error}"
        print(f"{name} ({time.monotonic() - began:.0f} s): {results[name]}", flush=True)
    (PROOF / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    return 1 if any(result.startswith("FAILED") for result in results.values()) else 0


# ---- the first window, on this machine


def compare_first_window() -> str:
    """Return how long the first window takes from the AppImage and from the environment, alternately."""
    with tempfile.TemporaryDirectory() as folder, x_server(None) as display:
        subprocess.run(
            [built("*.AppImage"), "--appimage-extract"], cwd=folder, stdout=subprocess.DEVNULL, check=True
        )
        programs = {
            "environment": str(PROJECT / ".venv/bin/bertviz-app"),
            "AppImage": f"{folder}/squashfs-root/AppRun",
        }
        times: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(_TRIES + 1):
            for name, program in programs.items():
                times[name].append(first_window(program, display, Path(folder)))
    # The first of each reads its files from the disk.
    best = {name: min(taken[1:]) for name, taken in times.items()}
    ratio = best["AppImage"] / best["environment"]
    words = ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in best.items())
    words = f"ratio {ratio:.2f} ({words}, the best of {_TRIES})"
    if ratio > MOST_SLOWER:
        raise ProofError(words)
    return words


def first_window(program: str, display: str, folder: Path) -> float:
    """Return the seconds from the start of a program to its window."""
    environment = {
        **os.environ,
        "DISPLAY": display,
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "data"),
        "QT_QPA_PLATFORM": "xcb",
    }
    began = time.perf_counter()
    process = subprocess.Popen(
        [program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        find = ["xdotool", "search", "--sync", "--onlyvisible", "--name", "^BertViz App$"]
        subprocess.run(find, env=environment, stdout=subprocess.DEVNULL, timeout=_PATIENCE, check=True)
        return time.perf_counter() - began
    finally:
        process.terminate()
        process.wait(60)


@contextmanager
def x_server(root: Root | None) -> Iterator[str]:
    """Start an X server here or in a root, and yield its display; its picture is in the /tmp there."""
    number = f":{os.getpid() % 5000 + 100}" if root is None else root.display
    system = Path("/") if root is None else root.path
    pictures = system / "tmp" / f"screen{number.removeprefix(':')}"
    pictures.mkdir(exist_ok=True)
    command = [
        "Xvfb",
        number,
        "-screen",
        "0",
        "1280x800x24",
        "-nolisten",
        "tcp",
        "-fbdir",
        f"/tmp/{pictures.name}",
    ]
    if root is not None:
        command = ["chroot", str(root.path), *command]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        socket = system / "tmp/.X11-unix" / f"X{number.removeprefix(':')}"
        wait_until(socket.exists, "the X server")
        yield number
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(pictures, ignore_errors=True)


def wait_until(is_true: Callable[[], bool], what: str, patience: float = _PATIENCE) -> None:
    """Wait until a function returns something true. Raises ProofError when the patience is at its end."""
    end = time.monotonic() + patience
    while not is_true():
        if time.monotonic() > end:
            raise ProofError(f"It took too long: {what}")
        time.sleep(0.2)


# ---- an empty root


def prove_root(suite: str, *, is_first: bool) -> str:
    """Make a root of this suite, install, use and remove both packages in it; return what was seen."""
    with empty_root(suite) as root:
        said = [prove_deb(root, is_first=is_first), prove_appimage(root, is_first=is_first)]
        left = left_over(root)
        if left:
            raise ProofError(f"left over: {left}")
        return "; ".join(said) + "; nothing is left over"


@contextmanager
def empty_root(suite: str) -> Iterator[Root]:
    """Make a fresh system without a desktop, with a user called student; remove it at the end."""
    folder = Path(tempfile.mkdtemp(prefix=f"root-{suite}-", dir=os.environ.get("BERTVIZ_ROOTS")))
    root = Root(suite, folder / "root", f":{os.getpid() % 5000 + 6000}")
    mounted: list[str] = []
    try:
        address = mirror(suite)
        # Keys of other suites are not on every machine; apt's own addresses are trusted here.
        script = Path("/usr/share/debootstrap/scripts", suite)
        of_ubuntu = [] if script.exists() else [str(script.with_name("gutsy"))]  # newer than debootstrap
        options = ("--no-check-gpg", "--variant=minbase")
        run("debootstrap", *options, suite, str(root.path), address, *of_ubuntu)
        components = "main universe" if suite in OF_UBUNTU else "main"
        sources = f"deb [trusted=yes] {address} {suite} {components}\n"
        (root.path / "etc/apt/sources.list").write_text(sources, encoding="utf-8")
        for name in ("proc", "dev"):
            source = ["-t", "proc", "proc"] if name == "proc" else ["--bind", "/dev"]
            run("mount", *source, str(root.path / name))
            mounted.append(str(root.path / name))
        for name in (
            "apt.conf.d",
            "auth.conf.d",
        ):  # how this machine reaches its mirror, if it needs to be told
            source_folder = Path("/etc/apt") / name
            if source_folder.is_dir():
                shutil.copytree(source_folder, root.path / "etc/apt" / name, dirs_exist_ok=True)
        for name in ("resolv.conf", "hosts"):
            shutil.copy(Path("/etc") / name, root.path / "etc" / name)
        root.as_root("apt-get", "update", "-qq")
        root.as_root("useradd", "--create-home", "student")
        (root.home / "work").mkdir()
        shutil.copytree(PROJECT / "models/bert-mini-en-ko", root.home / "work/checkpoint")
        shutil.copy(PROJECT / "resources/examples/sentences_en.txt", root.home / "work/texts.txt")
        root.as_root("chown", "-R", "student:student", "/home/student")
        yield root
    finally:
        for path in reversed(mounted):
            subprocess.run(["umount", "--lazy", path], check=False)
        shutil.rmtree(folder, ignore_errors=True) if not still_mounted(folder) else print(
            f"still mounted: {folder}"
        )


def still_mounted(folder: Path) -> bool:
    """Return whether something is mounted below a folder: removing it would remove that, too."""
    return str(folder) in Path("/proc/mounts").read_text(encoding="utf-8")


def mirror(suite: str) -> str:
    """Return the address that this machine's apt uses, of Ubuntu the one beside it, or UBUNTU_MIRROR."""
    texts = [
        path.read_text(encoding="utf-8")
        for path in (Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*.sources"))
        if path.is_file()
    ]
    found = re.findall(r"^(?:URIs:|deb(?:-src)? (?:\[[^]]*\] )?) *(\S+)", "\n".join(texts), re.MULTILINE)
    if not found:
        raise ProofError("apt has no mirror here.")
    if suite not in OF_UBUNTU:
        return str(found[0])
    return os.environ.get("UBUNTU_MIRROR") or re.sub(r"/debian/?$", "/ubuntu", found[0])


def prove_deb(root: Root, *, is_first: bool) -> str:
    """Install the .deb in the bare root, use it, and remove it."""
    package = built("*.deb")
    shutil.copy(package, root.path / "tmp" / package.name)
    root.as_root("apt-get", "install", "-y", "-qq", "--no-install-recommends", f"/tmp/{package.name}")
    (root.path / "tmp" / package.name).unlink()
    # Its dependencies are all that it has so far: no X server, no font.
    doctor = root.as_user("bertviz-app", "doctor")
    if "Device: cpu" not in doctor.stdout or "no window can open" not in doctor.stdout:
        raise ProofError(f"doctor: {doctor.stdout}{doctor.stderr}")
    tools = ("xvfb", "xdotool", "fonts-nanum", "desktop-file-utils", "shared-mime-info")
    root.as_root("apt-get", "install", "-y", "-qq", "--no-install-recommends", *tools)
    said = use(root, "/usr/bin/bertviz-app", "deb", is_first=is_first)
    said += walk_through(root, "/usr/bin/bertviz-app", "/usr/lib/bertviz-app", "deb", is_whole=is_first)
    root.as_root("desktop-file-validate", *in_root(root, "usr/share/applications/*.desktop"))
    kind = root.as_root("grep", "-rh", "bva", "/usr/share/mime/globs2")
    if "application/x-bertviz-session" not in kind:
        raise ProofError("the MIME type is not registered")
    # What the AppImage needs of a desktop stays; only the program goes.
    wanted = [name for name in dependencies(package) if root_has(root, name)]
    root.as_root("apt-mark", "manual", *wanted)
    root.as_root("apt-get", "purge", "-y", "-qq", "bertviz-app")
    return f"deb: {said}"


def in_root(root: Root, pattern: str) -> list[str]:
    """Return the files of a pattern as the root calls them."""
    return [f"/{path.relative_to(root.path)}" for path in root.path.glob(pattern)]


def dependencies(package: Path) -> list[str]:
    """Return the names of what a .deb depends on, alternatives apart."""
    field = run("dpkg-deb", "--field", str(package), "Depends")
    return [re.sub(r" *\(.*?\)", "", name).strip() for name in re.split("[,|]", field)]


def root_has(root: Root, package: str) -> bool:
    """Return whether a package is installed in a root."""
    command = ["chroot", str(root.path), "dpkg-query", "-W", "-f", "${Status}", package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "ok installed" in done.stdout


def prove_appimage(root: Root, *, is_first: bool) -> str:
    """Unpack the AppImage, without FUSE, use it, and remove it."""
    image = root.home / "BertViz_App.AppImage"
    shutil.copy(built("*.AppImage"), image)
    image.chmod(0o755)
    done = root.as_user(f"/home/student/{image.name}", "--appimage-extract")
    if done.returncode:
        raise ProofError(f"the AppImage does not unpack itself: {done.stderr[-500:]}")
    unpacked = "/home/student/squashfs-root"
    # Nobody but root can write there, as nobody can where an AppImage is mounted.
    root.as_root("chown", "-R", "root:root", unpacked)
    root.as_root("chmod", "-R", "a+rX", unpacked)
    said = use(root, f"{unpacked}/AppRun", "appimage", is_first=False)
    folder = f"{unpacked}/usr/lib/bertviz-app"
    said += walk_through(root, f"{unpacked}/AppRun", folder, "appimage", is_whole=is_first)
    shutil.rmtree(root.home / "squashfs-root")
    image.unlink()
    return f"AppImage: {said}"


def use(root: Root, program: str, name: str, *, is_first: bool) -> str:
    """Do with a program what a student does; return what was seen."""
    shutil.rmtree(root.home / ".config/bertviz-app", ignore_errors=True)
    with x_server(root) as display:
        take_window(root, [program, "window", TEXT], display, f"{name}-sentence", TEXT)
        with_checkpoint = [program, "window", OTHER_TEXT, "--model", "/home/student/work/checkpoint"]
        take_window(root, with_checkpoint, display, f"{name}-checkpoint", OTHER_TEXT)
    write_pdf(root, program, name)
    train(root, program, name)
    n_analyses = analyse_all(root, program) if is_first else 0
    return "sentence, checkpoint, PDF, training" + (f", {n_analyses} analyses" if n_analyses else "")


def take_window(root: Root, command: list[str], display: str, picture: str, expected: str) -> None:
    """Open the window, wait until it remembers a text, which it does once that is drawn; keep a picture."""
    line = root.user_command(*command, DISPLAY=display, QT_QPA_PLATFORM="xcb")
    log = PROOF / f"{root.name}-{picture}.log"
    with log.open("w") as output:
        process = subprocess.Popen(line, stdout=output, stderr=subprocess.STDOUT)
        try:
            used = root.home / ".config/bertviz-app/recents.json"
            wait_until(lambda: expected in read(used) or process.poll() is not None, picture)
            if process.poll() is not None:
                raise ProofError(f"{picture}: the program ended: {log.read_text()[-1000:]}")
            time.sleep(3)  # until the views are drawn
            keep_picture(root, display, PROOF / f"{root.name}-{picture}.xwd")
        finally:
            process.terminate()
            process.wait(60)


def read(path: Path) -> str:
    """Return what is in a file, "" while there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def keep_picture(root: Root, display: str, target: Path) -> None:
    """Copy the screen. Raises ProofError where next to nothing is drawn on it."""
    screen = root.path / "tmp" / f"screen{display.removeprefix(':')}" / "Xvfb_screen0"
    content = screen.read_bytes()
    target.write_bytes(content)
    if len({content[i : i + 4] for i in range(4096, len(content) - 4, 4)}) < 50:
        raise ProofError(f"{target.name}: nothing is drawn")


def write_pdf(root: Root, program: str, name: str) -> None:
    """Draw the window into a PDF, without the X server."""
    arguments = ("render", TEXT, "--view", "window", "--out", "work/window.pdf")
    done = root.as_user(program, *arguments, QT_QPA_PLATFORM="offscreen")
    path = root.home / "work/window.pdf"
    if done.returncode or path.read_bytes()[:5] != b"%PDF-":
        raise ProofError(f"PDF: {done.stderr[-1000:]}")
    shutil.move(path, PROOF / f"{root.name}-{name}.pdf")


def train(root: Root, program: str, name: str) -> None:
    """Pre-train two steps, in the process of the command line and in that which the window starts."""
    out = f"work/model-{name}"
    small = ("--steps", "2", "--layers", "1", "--heads", "2", "--width", "32", "--vocab", "500")
    done = root.as_user(program, "pretrain", "--corpus", "work/texts.txt", "--out", out, *small)
    if done.returncode or not (root.home / out / "model.safetensors").exists():
        raise ProofError(f"training: {done.stdout[-500:]}{done.stderr[-1500:]}")
    settings = {"steps": 2, "n_layers": 1, "n_heads": 2, "width": 32, "vocabulary_size": 500}
    job = {
        "files": ["/home/student/work/texts.txt"],
        "out": f"/home/student/work/window-{name}",
        "settings": settings,
        "watch": {"text": TEXT, "pair": None, "every": 1},
        "tunes": False,
    }
    line = root.user_command(program, "-m", "bertviz_app.features.training.process.child")
    log = PROOF / f"{root.name}-{name}-training.log"
    with log.open("w") as output:
        child = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=output, stderr=output, text=True)
        assert child.stdin is not None
        child.stdin.write(json.dumps(job) + "\n")
        child.stdin.flush()  # the end of its input would stop it
        code = child.wait(900)
        child.stdin.close()
    if code or not (root.home / f"work/window-{name}/model.safetensors").exists():
        raise ProofError(f"training of the window: {log.read_text()[-1500:]}")


def analyse_all(root: Root, program: str) -> int:
    """Run every analysis of the catalogue, and draw one: what each imports is in the bundle."""
    listed = root.as_user(program, "analyses").stdout
    keys = re.findall(r"^([a-z][a-z0-9-]+)$", listed, re.MULTILINE)
    n_done = 0
    for key in keys:
        done = root.as_user(program, "analyse", key, TEXT, "--out", f"work/{key}.npz")
        if done.returncode not in (0, 2):
            raise ProofError(f"{key}: {done.stderr[-1000:]}")
        n_done += done.returncode == 0
    if n_done < len(keys) * 0.6:
        raise ProofError(f"only {n_done} of {len(keys)} analyses ran")
    return n_done


def walk_through(root: Root, program: str, folder: str, name: str, *, is_whole: bool) -> str:
    """Walk through the window as `make walk` does; return in words how many steps that were.

    The user has a home with a space and Korean letters in its name, and no network. `folder`: that of the
    bundle, where the walk is put for as long as it takes, since the program imports from nowhere else.
    """
    walk, home = root.path / f"{folder}/_internal/walk.py".lstrip("/"), root.home / f"학생의 {name}"
    shutil.copy(WALK, walk)
    walk.chmod(0o644)
    home.mkdir()
    there = f"/{home.relative_to(root.path)}"
    root.as_root("chown", "student:student", there)
    how = () if is_whole else ("--slice",)
    alone = {"HOME": there, "HF_HUB_OFFLINE": "1"}
    command = ["unshare", "--net", *root.user_command(program, "-m", "walk", *how, **alone)]
    log = PROOF / f"{root.name}-{name}-walk.txt"
    with log.open("w", encoding="utf-8") as output:
        subprocess.run(command, stdout=output, stderr=output, timeout=_LONGEST_WALK, check=False)
    said = log.read_text(encoding="utf-8")
    found = re.search(r"^(\d+) steps, 0 faults$", said, re.MULTILINE)
    if found is None:
        raise ProofError(f"the walk, of which {log} has all: {said[-3000:]}")
    walk.unlink()
    shutil.rmtree(home)
    return f", a walk of {found[1]} steps"


def left_over(root: Root) -> list[str]:
    """Return the files with the program's name that are not what the user made."""
    found = run("find", str(root.path), "-xdev", "-iname", "*bertviz*").splitlines()
    names = [f"/{Path(path).relative_to(root.path)}" for path in found]
    allowed = tuple(f"/home/student/{name}" for name in _OF_THE_USER)
    return [name for name in names if not name.startswith(allowed)]


if __name__ == "__main__":
    sys.exit(main())
