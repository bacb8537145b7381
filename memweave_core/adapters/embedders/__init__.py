"""Embedders: what turns text into vectors, and the wrapper that keeps their trouble away from the engine.

`resolve.resolve` finds an embedder by name, `duck.wrap` adapts an object of another library, and
`resilience.ResilientEmbedder` is the only one the engine talks to. None of these loads a model, or numpy,
before the first text is embedded.
"""
