"""Pure functions from a trace to arrays, each with its source."""
