"""Models learn here: pre-training from texts, fine-tuning on labelled rows."""
