"""Panels: their cards, headers and options, and the registry of what a panel can show."""
