"""The tests, one folder for each package, and what they share."""
