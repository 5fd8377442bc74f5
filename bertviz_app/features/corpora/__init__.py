"""Measures of every head over a corpus, studies of files, and what was found about a head."""
