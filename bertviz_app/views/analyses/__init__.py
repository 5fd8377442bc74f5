"""Views of results of analyses that are no matrices: a grid of heads, bars of tokens, pieces, tables."""
