"""Other people's files: finding a checkpoint, judging it, reading it. Nothing here runs code out of one."""
