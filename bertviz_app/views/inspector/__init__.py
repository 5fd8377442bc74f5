"""The inspector: one query-key pair in numbers, and the predictions of the task heads."""
