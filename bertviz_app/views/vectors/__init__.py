"""Vectors as heat maps and bars."""
