"""Tests of bertviz_app.inference."""
