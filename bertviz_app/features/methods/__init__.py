"""Methods of papers: attributions, decompositions, circuits, flows; entries of the catalogue."""
