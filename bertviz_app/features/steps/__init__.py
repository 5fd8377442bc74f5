"""The forward pass, stage by stage, with its formulas and tensors."""
