"""Analyses: what can be computed of a trace, with or without its model, as arrays with their sources."""
