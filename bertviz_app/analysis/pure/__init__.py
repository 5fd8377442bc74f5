"""Analyses that read a trace and nothing else."""
