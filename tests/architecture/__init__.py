"""What holds for every module of the program: who may import whom, how big things are, what is never used."""
