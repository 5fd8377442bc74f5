"""The Training page: forms, curves, the watched sentence, the list of runs."""
