"""The two contracts for a ranking of your own: a `SearchStrategy` finds, a `PostProcessor` has the last word.

Register them with `register_strategy(name, object)` and `register_postprocessor(object)`. One that raises
or breaks its contract is named in `SearchResults.warnings` and costs no results: hybrid search answers
instead of the strategy, the processor is skipped. Only a name that nobody registered is a `StrategyError`.
"""

from ..ports import IndexReader, PostProcessor, SearchStrategy

__all__ = ["IndexReader", "PostProcessor", "SearchStrategy"]
