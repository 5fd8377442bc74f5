"""Tables of texts as people have them: their encoding, their format, and which column is which."""
