"""How the overview of all heads comes to be complete."""
