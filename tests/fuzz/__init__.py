"""Files that lie: mutated checkpoints opened in processes of their own, where a crash is seen as one."""
