"""The main window and the parts it owns."""
