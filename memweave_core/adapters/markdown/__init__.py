"""The Markdown files of a workspace: what is memory, what it says of itself, safe reading and writing."""
