"""Finds the language model that a name or an object stands for. Loads nothing and calls nothing."""

from __future__ import annotations

from ..._errors import ConfigError
from ...ports import ChatModel
from .checked import CheckedModel
from .options import ModelOptions

NONE = "none"


def resolve_model(model: object | str | None, options: ModelOptions | None = None) -> CheckedModel | None:
    """The model of a name that litellm knows, or of an object (see `duck.wrap`); None for None and "none".

    Raises `ConfigError` for an empty name and for an object that is no model.
    """
    options = options or ModelOptions()
    if options.timeout <= 0:
        raise ConfigError(f"The time a model may take must be more than 0 seconds, not {options.timeout:g}.")
    if model is None or model == NONE:
        return None
    if isinstance(model, CheckedModel):
        return model
    return CheckedModel(_found(model, options), timeout=options.timeout)


def _found(model: object, options: ModelOptions) -> ChatModel:
    if isinstance(model, str):
        if not model.strip():
            raise ConfigError("The language model has no name; use 'none' for no model.")
        from .litellm import LiteLLMModel

        return LiteLLMModel(model.strip(), options)
    from .duck import wrap

    return wrap(model)
