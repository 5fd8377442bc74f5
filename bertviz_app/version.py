"""The version of the program, which packages and traces have."""

__version__ = "0.1.0"
