"""A conversation is the same through LangChain and through LlamaIndex."""

from __future__ import annotations

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_memweave import MemWeaveChatMessageHistory
from llama_index.core.base.llms.types import (
    AudioBlock,
    ChatMessage,
    CitableBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index_memweave import MemWeaveChatStore, MemWeaveMemory

from memweave_core import MemWeave

SAID: list[BaseMessage] = [
    SystemMessage("Be brief."),
    HumanMessage(
        [
            {"type": "text", "text": "What is on it?"},
            {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}},
        ],
        name="Ana",
    ),
    AIMessage(
        [
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "c1", "name": "see", "input": {"n": 1}},
        ],
        tool_calls=[{"name": "see", "args": {"n": 1}, "id": "c1", "type": "tool_call"}],
        usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        response_metadata={"model_name": "m"},
    ),
    ToolMessage("an owl", tool_call_id="c1", name="see", artifact={"raw": [1]}),
    AIMessage("An owl."),
]


def history(memory: MemWeave) -> MemWeaveChatMessageHistory:
    """The conversation as LangChain sees it, all of it."""
    return MemWeaveChatMessageHistory("s", memory, user_id="ana", window=None)


def test_what_langchain_wrote_is_read_here(memory: MemWeave) -> None:
    """Texts, pictures, tool calls and results come in LlamaIndex's own forms."""
    history(memory).add_messages(SAID)
    system, asked, called, result, answer = MemWeaveChatStore(memory, user_id="ana").get_messages("s")
    assert (system.role.value, system.content) == ("system", "Be brief.")
    assert asked.blocks == [TextBlock(text="What is on it?"), ImageBlock(url="https://e.org/a.png")]
    call = ToolCallBlock(tool_call_id="c1", tool_name="see", tool_kwargs={"n": 1})
    assert called.blocks == [TextBlock(text="Let me look."), call]
    assert result.additional_kwargs == {"tool_call_id": "c1", "name": "see"}
    assert (answer.role.value, answer.content) == ("assistant", "An owl.")


def test_going_on_here_takes_nothing_from_langchain(memory: MemWeave) -> None:
    """After LlamaIndex has set and added messages, LangChain still has all that was its own."""
    history(memory).add_messages(SAID)
    before = history(memory).messages
    buffer = MemWeaveMemory.from_defaults(memory=memory, user_id="ana", chat_store_key="s")
    buffer.set(buffer.get_all())
    buffer.put(ChatMessage(role="user", content="Thanks"))
    after = history(memory).messages
    assert after[:-1] == before
    assert (type(after[-1]), after[-1].content) == (HumanMessage, "Thanks")


def test_what_llama_index_wrote_is_read_there(memory: MemWeave) -> None:
    """LangChain reads text, tool calls and results, and pictures as its standard blocks."""
    call = ToolCallBlock(tool_call_id="c1", tool_name="see", tool_kwargs={"n": 1})
    said = [
        ChatMessage(
            role="user",
            blocks=[TextBlock(text="Look"), ImageBlock(image=b"QUJD", image_mimetype="image/png")],
        ),
        ChatMessage(role="assistant", blocks=[call]),
        ChatMessage(role="tool", content="an owl", additional_kwargs={"tool_call_id": "c1", "name": "see"}),
        ChatMessage(role="assistant", content="An owl."),
    ]
    MemWeaveChatStore(memory, user_id="ana").set_messages("s", said)
    asked, called, result, answer = history(memory).messages
    assert asked.content_blocks[1] == {"type": "image", "base64": "QUJD", "mime_type": "image/png"}
    assert isinstance(called, AIMessage)
    assert called.tool_calls == [{"name": "see", "args": {"n": 1}, "id": "c1", "type": "tool_call"}]
    assert isinstance(result, ToolMessage)
    assert (result.content, result.tool_call_id) == ("an owl", "c1")
    assert answer.content == "An owl."


def test_blocks_that_only_one_has_are_kept_for_it(memory: MemWeave) -> None:
    """LangChain can go on after messages it has no form for, and LlamaIndex finds them as they were."""
    rich = ChatMessage(
        role="assistant",
        blocks=[
            ThinkingBlock(content="hm", num_tokens=3),
            CitableBlock(title="t", source="s", content=[TextBlock(text="c")]),
            AudioBlock(audio=b"UklGRg==", format="wav"),
            TextBlock(text="a"),
        ],
    )
    store = MemWeaveChatStore(memory, user_id="ana")
    store.add_message("s", rich)
    (read,) = history(memory).messages
    assert read.text == "a"
    history(memory).add_messages([HumanMessage("go on")])
    assert store.get_messages("s")[0] == rich
