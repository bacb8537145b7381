"""Agent memory you can read, search and git diff."""
