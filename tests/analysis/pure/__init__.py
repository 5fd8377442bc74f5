"""Tests of the analyses that read a trace and nothing else."""
