"""One module for each family of encoders: how its configuration and weights are named."""
