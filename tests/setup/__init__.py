"""What gets the program onto a computer: the locks of versions and the wheel."""
