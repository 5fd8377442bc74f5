"""Tests of bertviz_app.checkpoint."""
