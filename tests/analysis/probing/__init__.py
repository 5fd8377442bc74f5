"""Tests of the analyses that read or run the model."""
