"""Fine-tuning a classifier on labelled rows."""
