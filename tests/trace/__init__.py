"""Tests of the trace and its files."""
