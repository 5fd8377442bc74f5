"""The bars above and below the panels: text fields, comparison, questions about a checkpoint, status."""
