"""Checkpoints: finding, validating and reading other people's files. Nothing here runs code from a file."""
