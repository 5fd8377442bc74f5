#!/bin/sh
# Opens the window; without a display does the same job on an off-screen one.
set -eu
cd "$(dirname "$0")/../.."
text="A cat ate the fish because it was hungry"

if [ "$(uname)" != Linux ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    exec .venv/bin/bertviz-app
fi

export QT_QPA_PLATFORM=offscreen
echo "There is no display: the same on an off-screen window."
.venv/bin/bertviz-app trace "$text"
.venv/bin/bertviz-app render "$text" --view window --out attention.png
echo "The window was drawn into $(pwd)/attention.png"
