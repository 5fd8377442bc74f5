"""What a bundle leaves out: what the program never loads, and what every desktop has in its own version.

That nothing needed is missing is shown by `installers/prove.py`, which runs every analysis, a training and
the window from the bundle alone.
"""

from __future__ import annotations

import re

LEFT_OUT_MODULES = [
    "readline",  # its library is under the GPL 3
    *("tkinter", "hatchling", "PyInstaller", "setuptools", "pip", "pytest", "IPython", "matplotlib"),
]


_NEVER_LOADED = (
    r"torch/((test|include|share)/|bin/(?!torch_shm_manager))",  # torch's own tests, compilers and headers
    r"torch/lib/.*\.(a|lib|cmake)$",
    r"torch/testing/_internal/generated/",
    r"PySide6/Qt/translations/(?!qt(base)?_ko)",  # English needs none
    r"PySide6/Qt/plugins/(egldeviceintegrations|networkinformation|generic|tls|vectorimageformats)/",
    r"PySide6/Qt/plugins/platforms/libq(eglfs|linuxfb|vnc|vkkhrdisplay|minimalegl)",
    r"(PySide6/Qt/lib/)?libQt6(EglFSDeviceIntegration|EglFsKmsSupport|EglFsKmsGbmSupport)",
    r"scipy/.*/tests/",
)
# Libraries of which a system has one version for all programs: of the display, of fonts, of GTK, and of GCC,
# whose newer version a driver of the display may need. The second list is of what only GTK needs.
_OF_THE_SYSTEM = (
    r"lib(GL|EGL|GLX|GLdispatch|X11|X11-xcb|xcb|fontconfig|freetype|harfbuzz|expat|glib-2\.0|gthread-2\.0|gio-2\.0|"
    r"gobject-2\.0|gmodule-2\.0|stdc\+\+|gcc_s|dbus-1|wayland-client|wayland-egl|wayland-cursor|drm|gbm)\.so",
    r"lib(gtk-3|gdk-3|gdk_pixbuf-2\.0|atk-1\.0|atk-bridge-2\.0|atspi|cairo|cairo-gobject|pango-1\.0|pangocairo-1\.0|"
    r"pangoft2-1\.0|epoxy|fribidi|thai|datrie|graphite2|pixman-1|jpeg|png16|mount|blkid|selinux|pcre2-8|systemd|"
    r"gcrypt|gpg-error|cap|lz4|Xcomposite|Xcursor|Xdamage|Xext|Xfixes|Xi|Xinerama|"
    r"Xrandr|Xrender|Xau|Xdmcp|bsd|md)\.so",
)


def in_bundle(name: str, platform: str) -> bool:
    """Return whether a bundle for a platform, as `sys.platform` calls it, has the file of this name."""
    path = name.replace("\\", "/")
    if any(re.match(pattern, path) for pattern in _NEVER_LOADED):
        return False
    return platform != "linux" or not any(re.match(pattern, path) for pattern in _OF_THE_SYSTEM)


DEPENDENCIES = {
    "libc6 (>= 2.35)": r"lib(c|m|dl|rt|pthread|util|resolv)\.so|ld-linux",
    "libstdc++6": r"libstdc\+\+\.so",
    "libgcc-s1": r"libgcc_s\.so",
    "libglib2.0-0 | libglib2.0-0t64": r"lib(glib|gthread|gio|gobject|gmodule)-2\.0\.so",
    "libgl1": r"lib(GL|GLX|GLdispatch)\.so",
    "libegl1": r"libEGL\.so",
    "libfontconfig1": r"libfontconfig\.so",
    "libfreetype6": r"libfreetype\.so",
    "libx11-6": r"libX11\.so",
    "libx11-xcb1": r"libX11-xcb\.so",
    "libxcb1": r"libxcb\.so",
    "libdbus-1-3": r"libdbus-1\.so",
    "libxau6": r"libXau\.so",
}
"""Debian's packages and the libraries in them that a bundle for Linux loads from the system."""

RECOMMENDED = {
    "libwayland-client0": r"libwayland-client\.so",
    "libwayland-egl1": r"libwayland-egl\.so",
    "libwayland-cursor0": r"libwayland-cursor\.so",
    "libgtk-3-0 | libgtk-3-0t64": r"lib(gtk-3|gdk-3|pango|atk|cairo|gdk_pixbuf|harfbuzz).*\.so",
    "fonts-noto-cjk": r"",  # Korean, Chinese and Japanese texts
}
"""The same of libraries that parts of Qt use where they are there: under Wayland, in a desktop of GTK."""


def package_of(library: str) -> str | None:
    """Return the Debian package that a library of the system is in, None for one that no list has."""
    for packages in (DEPENDENCIES, RECOMMENDED):
        for package, pattern in packages.items():
            if pattern and re.match(pattern, library):
                return package
    return None
