"""The state of the Training page."""
