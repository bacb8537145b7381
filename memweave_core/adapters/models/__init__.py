"""Language models: those that litellm knows, models of LangChain and LlamaIndex, and plain functions.

`resolve.resolve_model` finds a model by name or adapts an object; `checked.CheckedModel` is the only one the
engine talks to. None of these imports a model library before the first call.
"""
