"""Analyses that change something in the model and look at what becomes of it."""
