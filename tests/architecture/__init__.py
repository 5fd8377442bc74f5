"""What holds for every module of the program: who may import whom, how long functions are, what is unused."""
