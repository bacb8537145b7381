"""Pure text work: tokens, dates, front matter, Markdown blocks and chunks. No files, no clock, no index."""
