"""Short-term memory: how a session is written down, what of it a model is shown, and its running summary.

Nothing here touches a file, a clock or a model: text and values come in, text and values go out.
"""
