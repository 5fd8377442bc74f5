"""The Parameters panel: the table of matrices and vectors, the picture of one, a row times a column."""
