"""All heads at once: the overview of one run, the divergence of two, and the table of head measures."""
