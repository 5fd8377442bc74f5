"""The numbers of a hand-out."""
