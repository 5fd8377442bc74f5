"""Saving and restoring: the automatic save, opening and saving files, restoring the last session."""
