"""Pictures of attention heads, computed on a worker and cached."""
