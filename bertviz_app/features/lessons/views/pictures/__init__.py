"""The large pictures of lessons: each shows what its station is about, and nothing else."""
