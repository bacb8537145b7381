"""Conversations and what is learnt from them, kept in Markdown files: the services behind the verbs of
`memweave_core.MemWeave`. The rules they follow are pure and stand in `conversation` and `facts`."""
