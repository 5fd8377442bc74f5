"""The encoder, in torch, to be read beside a textbook."""
