"""What is shown, as numbers and as lines of Python that compute it again."""
