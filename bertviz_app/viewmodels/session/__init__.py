"""Snapshots of the window: undo, redo, and the session file."""
