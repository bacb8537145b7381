"""Any chat model that litellm knows: OpenAI, Anthropic, Gemini, Ollama, Bedrock and the rest.

litellm takes seconds and hundreds of megabytes to import, so that happens inside the first call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ..._errors import ModelError, ModelMissingError
from ...litellm_package import import_litellm
from ...messages import Message
from ...model_threads import await_reply
from .failures import classify
from .options import ModelOptions
from .replies import as_dicts, text_of

_NO_SCHEMA = re.compile(
    r"response[_ ]?format|json[_ ]?schema|structured output|does not support parameters", re.I
)


class LiteLLMModel:
    """The model `name` through litellm. Retries are left to the caller, who knows what can wait."""

    def __init__(self, name: str, options: ModelOptions | None = None) -> None:
        self._name = name
        self._options = options or ModelOptions()
        self._takes_schema = True

    @property
    def identity(self) -> str:
        return f"litellm:{self._name}"

    async def complete(self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None) -> str:
        """The reply. A model that refuses the schema is asked once more, and from then on, without it."""
        litellm = await await_reply(partial(import_litellm, "language model", ModelMissingError))
        wanted = schema if self._takes_schema else None
        try:
            return await self._ask(litellm, messages, wanted)
        except Exception as error:
            if wanted is None or not _refuses_schema(error):
                raise self._named(error) from error
        self._takes_schema = False
        try:
            return await self._ask(litellm, messages, None)
        except Exception as error:
            raise self._named(error) from error

    async def _ask(self, litellm: Any, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> str:
        options: dict[str, Any] = {"model": self._name, "timeout": self._options.timeout, "max_retries": 0}
        for name in ("api_base", "api_key", "temperature", "max_tokens"):
            if (value := getattr(self._options, name)) is not None:
                options[name] = value
        if schema is not None:
            named = {"name": "reply", "schema": dict(schema), "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": named}
        reply = text_of(await litellm.acompletion(messages=as_dicts(messages), **options))
        if reply is None:
            raise ModelError(f"Language model {self.identity!r} gave no text.")
        return reply

    def _named(self, error: Exception) -> ModelError:
        place = f" at {self._options.api_base}" if self._options.api_base else ""
        return classify(error, f"{self._name}{place}", key=self._options.api_key)


def _refuses_schema(error: Exception) -> bool:
    status = getattr(error, "status_code", None)
    return type(error).__name__ == "UnsupportedParamsError" or (
        status in (400, 404, 422) and _NO_SCHEMA.search(str(error)) is not None
    )
