"""The version of the program, which packages and traces have, and the name by which a desktop knows it."""

__version__ = "0.1.0"

APPLICATION_ID = "io.github.bertviz_app.BertVizApp"
"""The name of the `.desktop` file, of the AppStream component and of the window on Wayland."""
