"""Small changes of the program that some test has to notice: mutants."""
