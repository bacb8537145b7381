"""The two contracts for a ranking of your own: a `SearchStrategy` finds, a `PostProcessor` has the last word.

Register them with `register_strategy(name, object)` and `register_postprocessor(object)`. A strategy that
raises or breaks its contract ends the search with `StrategyError`; a processor that does is skipped and named
in `SearchResults.warnings`.
"""

from ..ports import IndexReader, PostProcessor, SearchStrategy

__all__ = ["IndexReader", "PostProcessor", "SearchStrategy"]
