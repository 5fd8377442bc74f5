"""Analyses of the catalogue for panels: their results, pictures and tables, and what a panel draws."""
