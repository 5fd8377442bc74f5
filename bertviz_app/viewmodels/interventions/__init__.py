"""Interventions as the window has them: those that are on and off, named sets, and what they change."""
