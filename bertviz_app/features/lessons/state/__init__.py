"""What the window shows, as the glossary and the lessons speak of it."""
