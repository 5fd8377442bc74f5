"""The pictures of README, drawn by the program itself: `python -m tests.pictures`, or `make pictures`."""
