"""Tests of the training: what is to be guessed, what that costs, and that a run can be continued."""
