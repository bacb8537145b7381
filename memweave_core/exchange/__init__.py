"""Conversations and facts from other products' exports, and our own export: bytes in, values out.

Nothing here touches a file, a clock or a network.
"""
