"""Pictures, numbers and Python code of what the window shows."""
