"""The stages of the forward pass: their order, names, formulas and tensors."""
