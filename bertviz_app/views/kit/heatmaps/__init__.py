"""Cells in colours with labels on two sides."""
