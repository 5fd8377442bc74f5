"""Pictures of hidden states, and the vectors that the user has put aside to compare."""
