"""Implementations of the ports: Markdown files, the SQLite index, embedders."""
