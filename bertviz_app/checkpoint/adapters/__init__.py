"""Adapters: small files of weights that are added to those of a checkpoint."""
