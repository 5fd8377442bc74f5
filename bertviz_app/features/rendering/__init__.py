"""Pictures of the window and of single views without a display."""
