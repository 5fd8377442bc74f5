"""Hidden states and pooled vectors in a panel: all dimensions, a map, cosines, a shelf of sentences."""
