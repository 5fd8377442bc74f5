"""Pictures of views for files: recorded once, then written as PNG, SVG or PDF."""
