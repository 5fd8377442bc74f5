"""Analyses that write a vector as the sum of what each token gave it."""
