"""Run A and run B: what is requested, what is shown, and how the two differ."""
