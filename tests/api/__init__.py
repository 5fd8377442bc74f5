"""Tests of bertviz_app.api."""
