"""Settings of conversations, of what is learnt from them, and of the language model that helps with it."""

from __future__ import annotations

from dataclasses import dataclass, field

from .checks import check, check_range, check_types


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMConfig:
    """The language model that summarises conversations and finds facts in them.

    `model`: "none" (default: nothing is summarised, and only what is said to be remembered is), or any
    litellm model name. `timeout` is in seconds per call; what is unset is not sent.
    """

    model: str = "none"
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    temperature: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        check_types(self, "llm.")
        check(bool(self.model.strip()), "llm.model must name a model; use 'none' for none.")
        check_range("llm.timeout", self.timeout, low=0, above=True)
        if self.temperature is not None:
            check_range("llm.temperature", self.temperature, low=0)
        if self.max_tokens is not None:
            check_range("llm.max_tokens", self.max_tokens, low=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationConfig:
    """What a model is shown of a conversation: the running summary and the last `window` messages.

    The messages before the window are summarised when they come to more than `summary_after` tokens, in at
    most `summary_words` words.
    """

    window: int = 20
    summary_after: int = 4_000
    summary_words: int = 400

    def __post_init__(self) -> None:
        check_types(self, "conversation.")
        check_range("conversation.window", self.window, low=1)
        check_range("conversation.summary_after", self.summary_after, low=0)
        check_range("conversation.summary_words", self.summary_words, low=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsConfig:
    """What is kept of a user.

    `recall` facts are put into a context, those nearest to the message; when there are fewer, all are. At
    most `standing` others of importance 5 come besides, the latest first. Above `limit` the least important
    facts are dropped, but none of importance 4 or more. `duplicate` is the cosine above which two facts may
    be the same; unset, the embedder's own, and those nearest by vectors or words are compared too. `extract`
    lets the language model look for facts.
    """

    recall: int = 10
    standing: int = 10
    limit: int = 150
    duplicate: float | None = None
    extract: bool = True

    def __post_init__(self) -> None:
        check_types(self, "facts.")
        check_range("facts.recall", self.recall, low=1)
        check_range("facts.standing", self.standing, low=0)
        check_range("facts.limit", self.limit, low=1)
        if self.duplicate is not None:
            check_range("facts.duplicate", self.duplicate, low=0, high=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlushConfig:
    """How `flush` makes notes of a conversation.

    `model`, `temperature` and `max_tokens` are used instead of those of `llm` where they are set;
    `instructions` take the place of the built-in ones.
    """

    enabled: bool = True
    model: str | None = None
    instructions: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        check_types(self, "flush.")
        check(self.model is None or bool(self.model.strip()), "flush.model must name a model, or be unset.")
        if self.temperature is not None:
            check_range("flush.temperature", self.temperature, low=0)
        if self.max_tokens is not None:
            check_range("flush.max_tokens", self.max_tokens, low=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsConfig:
    """Work in the background: summaries and facts. A job that failed `max_attempts` times is parked.

    `background` lets this process do such work while it runs; without it the jobs wait for
    ``memweave-core jobs run`` or for `MemWeave.run_jobs`. `concurrency` is how many run at once. What a
    process was working on when it was killed is taken up again after `lease` seconds.
    """

    background: bool = True
    concurrency: int = 4
    max_attempts: int = 10
    lease: float = 60.0

    def __post_init__(self) -> None:
        check_types(self, "jobs.")
        check_range("jobs.concurrency", self.concurrency, low=1)
        check_range("jobs.max_attempts", self.max_attempts, low=1)
        check_range("jobs.lease", self.lease, low=0, above=True)
