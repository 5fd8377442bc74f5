"""The card that lists the interventions in a run, and what they change."""
