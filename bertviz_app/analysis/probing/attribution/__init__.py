"""Analyses that give each token its share in one outcome of the model."""
