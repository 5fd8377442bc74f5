"""The commands of the window: what the menus, the keys and the command palette call."""
