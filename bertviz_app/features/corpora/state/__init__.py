"""What the pages of the room show."""
