"""What `make package`, `make prove` and `make release` do, without building anything large."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from configparser import RawConfigParser
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtGui import QImage

from bertviz_app.version import APPLICATION_ID, __version__
from bertviz_app.viewmodels.session.archive import ENDING

ROOT = Path(__file__).resolve().parents[2]
INSTALLERS = ROOT / "installers"
DESKTOP = INSTALLERS / "desktop"
ICONS = ROOT / "resources/icons/application"


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"installers_{name}", INSTALLERS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    before = [*sys.path]
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = before
    return module


@pytest.fixture(scope="module")
def build() -> ModuleType:
    return _module("build")


@pytest.fixture(scope="module")
def contents() -> ModuleType:
    return _module("contents")


@pytest.fixture(scope="module")
def release() -> ModuleType:
    return _module("release")


# ---- the desktop


def _entry() -> RawConfigParser:
    parser = RawConfigParser(delimiters=("=",), interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(DESKTOP / f"{APPLICATION_ID}.desktop", encoding="utf-8")
    return parser


def test_the_entry_of_the_menu_is_in_both_languages_and_opens_sessions_and_folders() -> None:
    entry = _entry()["Desktop Entry"]
    for name in ("Name", "GenericName", "Comment", "Keywords"):
        assert re.search("[가-힣]", entry[f"{name}[ko]"]), name
    assert entry["Exec"] == "bertviz-app %f"
    assert entry["Icon"] == APPLICATION_ID
    assert entry["MimeType"].rstrip(";").split(";") == ["application/x-bertviz-session", "inode/directory"]


def test_the_mime_type_is_that_of_the_programs_sessions() -> None:
    (kind,) = ElementTree.parse(DESKTOP / f"{APPLICATION_ID}.mime.xml").getroot()
    names = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    glob = kind.find("m:glob", names)
    assert glob is not None
    assert glob.get("pattern") == f"*{ENDING}"
    assert (kind.get("type") or "none") in _entry()["Desktop Entry"]["MimeType"]
    assert len(kind.findall("m:comment", names)) == 2


def test_the_store_page_names_this_program_its_pictures_and_this_version(build: ModuleType) -> None:
    text = build.filled((DESKTOP / f"{APPLICATION_ID}.metainfo.xml").read_text(encoding="utf-8"))
    component = ElementTree.fromstring(text)
    assert "@" not in text
    assert component.findtext("id") == APPLICATION_ID
    assert component.findtext("launchable") == f"{APPLICATION_ID}.desktop"
    release = component.find("releases/release")
    assert release is not None
    assert release.get("version") == __version__
    language = "{http://www.w3.org/XML/1998/namespace}lang"
    for name in ("name", "summary", "description/p", "description/ul/li", "screenshots/screenshot/caption"):
        found = component.findall(name)
        assert sum(each.get(language) == "ko" for each in found) * 2 == len(found), name
    pictures = [each.text or "" for each in component.findall("screenshots/screenshot/image")]
    assert len(pictures) == 3
    for picture, element in zip(pictures, component.iter("image"), strict=True):
        image = QImage(str(ROOT / picture.removeprefix(f"{build.HOMEPAGE}/")))
        assert (str(image.width()), str(image.height())) == (element.get("width"), element.get("height"))


@pytest.mark.skipif(not shutil.which("appstreamcli"), reason="appstream is not installed")
def test_appstream_accepts_the_store_page(build: ModuleType, tmp_path: Path) -> None:
    build.write_desktop_files(tmp_path)
    (path,) = tmp_path.glob("share/metainfo/*.xml")
    done = subprocess.run(
        ["appstreamcli", "validate", "--no-net", path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(not shutil.which("desktop-file-validate"), reason="desktop-file-utils is not installed")
def test_the_entry_is_valid() -> None:
    command = ["desktop-file-validate", str(DESKTOP / f"{APPLICATION_ID}.desktop")]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stdout == ""


@pytest.mark.parametrize("name", ["bertviz-app", "bertviz-session"])
def test_each_icon_is_its_drawing_in_its_size(name: str, qapp: object) -> None:
    icons = _module("icons")
    for size in icons.SIZES[name]:
        saved = QImage(str(ICONS / f"{name}-{size}.png")).convertToFormat(QImage.Format.Format_ARGB32)
        drawn = icons.drawn(name, size)
        assert saved.size() == drawn.size()
        differences = [
            abs(a - b) for a, b in zip(bytes(saved.constBits()), bytes(drawn.constBits()), strict=True)
        ]
        assert sum(differences) / len(differences) < 3, "draw them anew: python installers/icons.py"


def test_every_file_of_the_desktop_gets_its_place(build: ModuleType, tmp_path: Path) -> None:
    build.write_desktop_files(tmp_path)
    share = tmp_path / "share"
    assert (share / f"applications/{APPLICATION_ID}.desktop").exists()
    assert (share / f"mime/packages/{APPLICATION_ID}.xml").exists()
    for size in ("16x16", "48x48", "256x256"):
        assert (share / f"icons/hicolor/{size}/apps/{APPLICATION_ID}.png").exists()
        assert (share / f"icons/hicolor/{size}/mimetypes/application-x-bertviz-session.png").exists()
    assert (share / f"icons/hicolor/scalable/apps/{APPLICATION_ID}.svg").exists()


# ---- the bundle


@pytest.mark.parametrize(
    ("name", "is_in"),
    [
        ("torch/lib/libtorch_cpu.so", True),
        ("torch/bin/torch_shm_manager", True),
        ("torch/nn/functional.py", True),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqwayland.so", True),
        ("PySide6/Qt/plugins/platforms/libqoffscreen.so", True),
        ("PySide6/Qt/translations/qtbase_ko.qm", True),
        ("libxcb-cursor.so.0", True),
        ("libpython3.11.so.1.0", True),
        ("torch/test/cpp_test", False),
        ("torch/bin/protoc", False),
        ("torch/include/torch/csrc/api.h", False),
        ("PySide6/Qt/translations/qtbase_de.qm", False),
        ("libX11.so.6", False),
        ("libxcb.so.1", False),
        ("libgtk-3.so.0", False),
        ("libstdc++.so.6", False),
    ],
)
def test_what_a_bundle_for_linux_has(contents: ModuleType, name: str, is_in: bool) -> None:
    assert contents.in_bundle(name, "linux") == is_in


def test_elsewhere_only_what_is_never_loaded_is_left_out(contents: ModuleType) -> None:
    assert contents.in_bundle("libstdc++.6.dylib", "darwin")
    assert not contents.in_bundle(r"torch\include\torch\csrc\api.h", "win32")


def test_every_library_that_is_left_to_the_system_has_a_package(contents: ModuleType) -> None:
    assert contents.package_of("libX11.so.6") == "libx11-6"
    assert contents.package_of("libgtk-3.so.0") == "libgtk-3-0 | libgtk-3-0t64"
    assert contents.package_of("libunheard.so.1") is None


def test_torch_with_cuda_is_refused(build: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.version, "cuda", "13.0")
    with pytest.raises(build.BuildError, match="CPU build"):
        build.check_torch()


def test_a_library_that_nobody_has_ends_the_build(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "program").write_bytes(b"\x7fELF rest")
    (tmp_path / "libinside.so.1").write_bytes(b"\x7fELF rest")
    printed = "  NEEDED               libinside.so.1\n  NEEDED               libc.so.6\n"
    monkeypatch.setattr(build, "run", lambda *_: printed)
    build.check_libraries(tmp_path)
    monkeypatch.setattr(build, "run", lambda *_: printed + "  NEEDED               libnowhere.so.2\n")
    with pytest.raises(build.BuildError, match=r"libnowhere\.so\.2: libinside\.so\.1, program"):
        build.check_libraries(tmp_path)


def _runtime(kind: bytes = b"AI\x02") -> bytes:
    """Return the head of an ELF file whose table of sections ends after 200 bytes."""
    head = bytearray(200)
    head[:4] = b"\x7fELF"
    head[8:11] = kind
    struct.pack_into("<Q", head, 40, 72)
    struct.pack_into("<HH", head, 58, 64, 2)
    return bytes(head)


def test_the_runtime_is_cut_from_any_appimage_and_nothing_else(build: ModuleType) -> None:
    assert build.runtime_of(_runtime() + b"hsqs the file system") == _runtime()
    for other in (b"#!/bin/sh\n", _runtime(b"AI\x01"), b""):
        with pytest.raises(build.BuildError, match="APPIMAGE_RUNTIME"):
            build.runtime_of(other)


@pytest.mark.skipif(sys.platform != "linux", reason="of Debian")
def test_the_deb_says_what_it_needs(build: ModuleType) -> None:
    control = build.control_of(2_000_000_000)
    fields = dict(line.split(": ", 1) for line in control.splitlines() if not line.startswith(" "))
    assert fields["Version"] == __version__
    assert fields["Installed-Size"] == str(2_000_000_000 // 1024)
    assert "libegl1" in fields["Depends"]
    assert "fonts-noto-cjk" in fields["Recommends"]


def test_the_same_tree_has_the_same_dates_and_rights(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    program = tmp_path / "folder" / "program"
    program.parent.mkdir()
    program.write_text("")
    program.chmod(0o775)
    (tmp_path / "link").symlink_to("nowhere")
    build.date_all(tmp_path)
    assert {path.lstat().st_mtime for path in (tmp_path, *tmp_path.rglob("*"))} == {1_700_000_000}
    assert program.stat().st_mode & 0o777 == 0o755


def test_checksums_are_read_by_sha256sum(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.deb").write_bytes(b"one")
    monkeypatch.setattr(build, "DIST", tmp_path)
    build.write_checksums()
    line = (tmp_path / "SHA256SUMS").read_text()
    assert line == f"{hashlib.sha256(b'one').hexdigest()}  a.deb\n"


@pytest.mark.slow
def test_a_bundle_starts_its_trainings_by_itself() -> None:
    """`start.py` is the program of a bundle, in which there is no Python to call with -m."""
    command = [sys.executable, str(INSTALLERS / "start.py"), "-m", "bertviz_app.shell.screen"]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.startswith("offscreen")
    version = subprocess.run(
        [*command[:2], "--version"], capture_output=True, text=True, check=False, env=environment
    )
    assert version.stdout == f"bertviz-app {__version__}\n"


def test_a_module_that_a_bundle_runs_has_its_own_arguments_alone(tmp_path: Path) -> None:
    (tmp_path / "said.py").write_text("import sys; print(sys.argv[1:])", encoding="utf-8")
    command = [sys.executable, str(INSTALLERS / "start.py"), "-m", "said", "--one", "two"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.stdout == "['--one', 'two']\n"


_WITHOUT_CONSOLE = """
import ctypes, runpy, sys, types
printed = sys.stdout
def box(owner, text, title, kind):
    printed.write(f"{title}: {text}")
ctypes.windll = types.SimpleNamespace(user32=types.SimpleNamespace(MessageBoxW=box))
sys.stdout = sys.stderr = None
sys.argv = ["bertviz-app", *sys.argv[2:]]
runpy.run_path(START, run_name="__main__")
"""


@pytest.mark.slow
def test_without_a_console_a_failure_is_said_in_a_box() -> None:
    """A simulation of the program for Windows, which has a window and no standard error."""
    program = _WITHOUT_CONSOLE.replace("START", repr(str(INSTALLERS / "start.py")))
    command = [sys.executable, "-c", program, "start.py", "no-such-file.bva"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 2
    assert done.stdout.startswith("BertViz App: bertviz-app: “no-such-file.bva” is neither")
    assert done.stderr == ""


def test_the_recipes_name_what_is_there() -> None:
    spec = (INSTALLERS / "bertviz_app.spec").read_text(encoding="utf-8")
    ast.parse(spec)
    for name in re.findall(r'PROJECT / "([\w/.-]+)"', spec):
        assert (ROOT / name).exists(), name
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    prepare = (ROOT / "resources/setup/prepare.sh").read_text(encoding="utf-8")
    named = re.search(r"\.\[(package,[\w,]+)\]", prepare)
    assert named is not None
    assert set(named[1].split(",")) <= set(extras)
    assert named[0] in (ROOT / ".github/workflows/package.yml").read_text(encoding="utf-8")
    installer = (INSTALLERS / "windows/bertviz-app.iss").read_text(encoding="utf-8")
    assert ENDING in installer
    assert "bertviz-app.exe" in installer


# ---- a release

_CHANGELOG = """# Changelog

## Unreleased

- new

## 1.2.0, 2026-11-27

- a line
- another

## 1.1.0

old

## 1.0.0, 2026-01-01
"""


def test_the_notes_are_the_section_of_the_version(release: ModuleType) -> None:
    assert release.notes_of("1.2.0", _CHANGELOG) == ("2026-11-27", "- a line\n- another")


@pytest.mark.parametrize(
    ("version", "reason"), [("1.3.0", "no section"), ("1.1.0", "write the day"), ("1.0.0", "is empty")]
)
def test_a_version_without_notes_is_not_released(release: ModuleType, version: str, reason: str) -> None:
    with pytest.raises(release.ReleaseError, match=reason):
        release.notes_of(version, _CHANGELOG)


def test_only_a_newer_version_is_released(release: ModuleType) -> None:
    release.check_version("0.10.0", ["v0.9.1", "v0.2.0", "vacation"])
    for version in ("0.9.1", "0.8.7", "1.0"):
        with pytest.raises(release.ReleaseError):
            release.check_version(version, ["v0.9.1"])
