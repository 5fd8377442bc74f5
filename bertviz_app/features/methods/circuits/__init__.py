"""What the weights of heads do by themselves, and through each other."""
