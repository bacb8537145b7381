"""The language model as the engine talks to it: bounded in time, its errors ours, its reply a text."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from ..._errors import ModelError, ModelUnavailableError
from ...messages import Message
from ...ports import ChatModel
from .failures import classify


class CheckedModel:
    """`model` with `timeout` seconds for each call. It does not retry: what asks is a job that does."""

    def __init__(self, model: ChatModel, *, timeout: float) -> None:
        self._model = model
        self._timeout = timeout

    @property
    def identity(self) -> str:
        return self._model.identity

    async def complete(self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None) -> str:
        """The text of the reply. Raises `ModelError` of the kind that fits, time-outs as unavailable."""
        try:
            async with asyncio.timeout(self._timeout) as limit:
                reply: object = await self._model.complete(messages, schema=schema)
        except Exception as error:
            if isinstance(error, TimeoutError) and limit.expired():
                raise ModelUnavailableError(
                    f"Language model {self.identity!r} did not answer within {self._timeout:g} s."
                ) from error
            raise classify(error, self.identity) from error
        if not isinstance(reply, str):
            raise ModelError(f"Language model {self.identity!r} gave {type(reply).__name__} and no text.")
        return reply
