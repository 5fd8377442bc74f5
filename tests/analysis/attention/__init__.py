"""Tests of what views show of attention."""
