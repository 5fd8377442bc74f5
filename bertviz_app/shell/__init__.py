"""What exists once: the application, its window, commands, settings and theme."""
