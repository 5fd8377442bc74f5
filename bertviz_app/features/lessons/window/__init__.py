"""Lessons in a window: what opens, shows and leaves them, and what only teachers use."""
