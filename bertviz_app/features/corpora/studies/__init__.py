"""Analyses of whole files: each measures blocks of texts, whose parts add up to one result."""
