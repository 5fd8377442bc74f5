"""Lessons on screen: the card of a station, the forms of its tasks, the list of all lessons, the pointer."""
