"""What teaches: the glossary, the lessons, and the numbers of the text on screen that both speak of."""
