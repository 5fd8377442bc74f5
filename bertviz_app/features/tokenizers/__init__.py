"""Tokenizers whose classes split texts in Python."""
