"""Token chips, the token strip, and the menus that mask or replace a token."""
