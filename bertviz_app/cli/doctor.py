"""`bertviz-app doctor`: what is here, and what to do about what is missing, even a package it needs."""

from __future__ import annotations

from bertviz_app.cli.terminal import print_text
from bertviz_app.shell.diagnosis import findings


def doctor() -> int:
    """Print versions, devices, fonts and disk, and what to do about what is missing."""
    remedies = []
    for finding in findings():
        print_text(f"{finding.name}: {finding.found}")
        if finding.remedy:
            remedies.append(f"{finding.name}: {finding.remedy}")
    print_text("")
    print_text(
        "\n".join(["To do:", *(f"  {line}" for line in remedies)]) if remedies else "Nothing is missing."
    )
    return 2 if remedies else 0
