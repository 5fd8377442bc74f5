"""The pages of the room in the window, and what each does to the rest of it."""
