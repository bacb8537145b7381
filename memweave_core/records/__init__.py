"""Records: documents with a namespace, a key and a JSON value, found by name, condition, meaning or words.

They are what stores and vector stores of frameworks stand on. The contract:

- ``memory.records("store")`` gives `Records`, its methods to be awaited; the blocking memory gives
  `BlockingRecords`, the same without ``await``. `root` is a folder below the memory folder: "store" for
  items of LangGraph, "documents" for LangChain, "nodes" for LlamaIndex, or a name of your own.
- Operations are values: `Get`, `Put` (a value of None deletes), `Search`, `Namespaces`. ``batch([...])``
  gives their results in order; reads see the state before the batch, and of several changes of a record the
  last is made. Short for it are ``get, put, delete, search, namespaces``; besides there are ``count,
  delete_where, sweep, refresh, close``.
- A `Record` has `namespace, key, value, created, updated, expires, provenance, score, vector`. Values are
  copied both ways. What JSON cannot hold is refused with the path in the message (`ValueRefusedError`).
- Conditions (`filters`): ``{"a.b": {"$gte": 3}, "$or": [...]}`` or `Condition`, `All`, `AnyOf`, `Not`. They
  narrow before the best are taken. Operators: ``$eq $ne $gt $gte $lt $lte $in $nin $exists $contains $text
  $itext`` on a field, ``$and $or $not`` around.
- Vectors: `RecordsConfig.paths` says which texts of a value are embedded, `Put.index` the same of one record;
  several texts give several vectors, the best of which counts. The embedder is the memory's own, one that is
  given, or nobody: then each `Put` brings `vectors`, `RecordsConfig.identity` names their space, and
  ``Search(vector=...)`` asks. Scores are cosines. A page of results is complete, whatever its offset.
- The pages are the truth: ``memory/<root>/<label>/…/<key>.md``, written to the disk one by one and whole, so
  also found by `MemWeave.search` at its next look. Edited by hand they are what the next `get` gives, and a
  search verifies what it is about to give; see `mirror` for what else is noticed when. The database
  ``.memweave/records.sqlite`` is made again from them when it is lost or damaged; vectors that a framework
  made need its embedder for that.
- Deleting deletes: page, row, words and vectors, and no copy goes to the trash; git keeps what was committed.
"""

from .faces import BlockingRecords, Records
from .fields import texts_of
from .filters import All, AnyOf, Condition, Filter, Not, matches, parse
from .json_value import ValueRefusedError
from .plan import PageRefusedError, RecordsConfig
from .record import Get, Namespace, Namespaces, Op, Put, Record, Result, Search

__all__ = [
    "All",
    "AnyOf",
    "BlockingRecords",
    "Condition",
    "Filter",
    "Get",
    "Namespace",
    "Namespaces",
    "Not",
    "Op",
    "PageRefusedError",
    "Put",
    "Record",
    "Records",
    "RecordsConfig",
    "Result",
    "Search",
    "ValueRefusedError",
    "matches",
    "parse",
    "texts_of",
]
