"""What stands beside the one way from a text to a picture, a room in each folder."""
