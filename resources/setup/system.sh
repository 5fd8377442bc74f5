# What the program needs of the operating system: found by loading it, installed through apt-get when it may.
# Read by prepare.sh, which gives `log`, `say`, `stop` and `logged`.

# Debian package and the file in it that Qt loads.
off_screen_libraries="libglib2.0-0:libgthread-2.0.so.0 libgl1:libGL.so.1 libegl1:libEGL.so.1
    libxkbcommon0:libxkbcommon.so.0 libfontconfig1:libfontconfig.so.1 libdbus-1-3:libdbus-1.so.3"
x11_libraries="libxkbcommon-x11-0:libxkbcommon-x11.so.0 libxcb-cursor0:libxcb-cursor.so.0
    libxcb-icccm4:libxcb-icccm.so.4 libxcb-keysyms1:libxcb-keysyms.so.1 libxcb-shape0:libxcb-shape.so.0"
wayland_libraries="libwayland-cursor0:libwayland-cursor.so.0 libwayland-egl1:libwayland-egl.so.1"
# Debian package and the program in it that the end-to-end tests start.
test_programs="xvfb:Xvfb xauth:xauth openbox:openbox xdotool:xdotool"
# The same of `make package`.
package_programs="squashfs-tools:mksquashfs binutils:objdump"
font_package=fonts-noto-cjk

# Prints the Python to make `.venv` with.
find_python() {
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        found=$(command -v "$name") || continue
        "$found" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        printf '%s\n' "$found"
        return
    done
    return 1
}

missing_python() {
    interpreter=$(find_python) || { echo python3 python3-venv; return; }
    "$interpreter" -c 'import ensurepip, venv' 2>/dev/null && return
    "$interpreter" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'
}

# Prints the package of each library in "package:file ..." that does not load.
missing_libraries() {
    interpreter=$(find_python) || interpreter=false
    for pair in $1; do
        "$interpreter" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "${pair#*:}" 2>/dev/null || echo "${pair%%:*}"
    done
}

missing_programs() {
    for pair in $1; do
        command -v "${pair#*:}" >/dev/null || echo "${pair%%:*}"
    done
}

# Korean text shows as boxes without a font that has it.
missing_font() {
    [ -n "$(fc-list :lang=ko 2>/dev/null | head -n 1)" ] && return
    [ -n "$(find /usr/share/fonts /usr/local/share/fonts "$HOME/.local/share/fonts" \
        \( -iname '*CJK*' -o -iname '*nanum*' \) -print 2>/dev/null | head -n 1)" ] || echo "$font_package"
}

# Prints what goal `$1` (run, test or package) lacks besides the font.
missing_packages() {
    is_whole || missing_python
    missing_libraries "$off_screen_libraries"
    [ "$1" = run ] && [ -z "${DISPLAY:-}" ] || missing_libraries "$x11_libraries"
    [ -z "${WAYLAND_DISPLAY:-}" ] || missing_libraries "$wayland_libraries"
    case $1 in
    run) ;;
    package) missing_programs "$package_programs" ;;
    *) missing_programs "$test_programs" ;;
    esac
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
    command -v apt-get >/dev/null && as_root true 2>/dev/null
}

# Debian 13 and Ubuntu 24.04 call some libraries by a new name.
package_name() {
    if [ -z "$(apt-cache show "$1" 2>/dev/null)" ] && [ -n "$(apt-cache show "$1t64" 2>/dev/null)" ]; then
        echo "$1t64"
    else
        echo "$1"
    fi
}

package_names() {
    for package in "$@"; do package_name "$package"; done
}

apt() {
    logged as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=120 "$@"
}

# Installs from the lists at hand; only when that fails are the lists fetched.
install_packages() {
    say "Installing with apt-get:" $(package_names "$@")
    apt install --no-install-recommends $(package_names "$@") 2>/dev/null && return
    apt update && apt install --no-install-recommends $(package_names "$@")
}

# The line to type where this script may not install by itself.
advice() {
    if command -v apt-get >/dev/null; then
        echo sudo apt-get install --no-install-recommends $(package_names "$@")
    else
        echo "the packages that Debian calls" "$@"
    fi
}

need_system() {
    [ "$(uname)" = Linux ] || return 0
    needed=$(missing_packages "$1")
    font=$(missing_font)
    [ -n "$needed$font" ] || return 0
    if may_install; then
        install_packages $needed $font || stop "apt-get could not install what is missing; the lines above say why."
        needed=$(missing_packages "$1")
        [ -z "$needed" ] || stop "Still missing after apt-get installed it:" $needed
    elif [ -n "$needed" ]; then
        stop "System packages are missing. Install them, then run this again:" $(advice $needed $font)
    else
        say "Korean, Chinese and Japanese text shows as boxes until you install a font that has it:" $(advice $font)
    fi
}
