"""Analyses that run other analyses and compare what they find."""
