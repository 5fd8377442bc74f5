"""Budgets, printed beside the peer in the same run; started by hand, never part of the tests."""
