"""Where checkpoints are found: folders, the cache of the hub, the hub itself."""
