"""What views show of attention: its weights or norms, with or without special tokens; attention sinks."""
