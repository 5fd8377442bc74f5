"""What each token gave: vectors as sums, and weights followed through the layers (rollout, flow)."""
