"""Long-term memory: facts about a person, how they are found, told apart, kept and recalled.

Nothing here touches a file, a clock or a model: text and values come in, text and values go out.
"""
