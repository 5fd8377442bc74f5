"""The Vectors view: hidden states as heat maps, bars, two principal components, and cached vectors."""
