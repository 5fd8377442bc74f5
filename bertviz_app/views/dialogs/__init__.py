"""Dialogs and overlays: command palette, export, shortcuts, the welcome page."""
