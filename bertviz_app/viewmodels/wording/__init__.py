"""Error messages in the user's language."""
