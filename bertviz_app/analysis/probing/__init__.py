"""Analyses that read the weights of a checkpoint, run it again, or need its gradients."""
