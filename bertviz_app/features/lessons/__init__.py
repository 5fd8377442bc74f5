"""The lessons, their pictures, hand-outs and one's own."""
