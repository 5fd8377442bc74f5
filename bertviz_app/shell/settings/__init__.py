"""What the program remembers between two starts: settings, recent files, theme, language."""
