"""One attention head on screen: as lines, as a matrix, and the strip of tokens beside them."""
