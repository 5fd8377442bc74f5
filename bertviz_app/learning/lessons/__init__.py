"""Lessons: what a lesson file holds, how it is read, and how an answer is judged on the numbers of a run."""
