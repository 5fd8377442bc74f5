"""The drawings of a stop: what stands in head, rows and foot, and the strips and columns they are made of."""
