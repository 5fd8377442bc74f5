"""The Training page in the window, what the status line says of it, and its saved form."""
