"""Tests of bertviz_app.cli."""
