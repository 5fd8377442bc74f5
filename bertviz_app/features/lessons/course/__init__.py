"""Lessons: what a lesson file holds, how it is read, and how an answer is checked on the numbers of a run."""
