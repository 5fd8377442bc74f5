"""The installed program: a wheel in an environment of its own, walked through from an empty folder."""
