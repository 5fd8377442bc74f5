"""Pictures of data in pyqtgraph's scene: the base that all share, axes, cells, lines, bars and curves."""
