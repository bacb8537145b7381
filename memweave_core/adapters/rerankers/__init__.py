"""Rerankers: models that read a question together with each text, and the check on what they answer.

`resolve.resolve` finds a reranker by name or adapts an object or a function; `checked.CheckedReranker` is the
only one the engine talks to. None of these loads a model before the first search that uses it.
"""
