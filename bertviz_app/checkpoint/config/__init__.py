"""From a checkpoint's config.json, and the user's answers, to an encoder's configuration."""
