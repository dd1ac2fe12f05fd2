"""A storage that keeps the dialogue, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether import NoopStorage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether import Context, Message


class MessageStorage(NoopStorage):
    """Four operations do something; the other 21 are `NoopStorage`'s, which keep nothing."""

    def __init__(self, *messages: Message) -> None:
        self.messages = {message.id: message for message in messages}

    async def fetch_messages(self, ctx: Context) -> Sequence[Message]:
        """Return the dialogue, oldest first."""
        return list(self.messages.values())

    async def store_message(self, ctx: Context, message: Message) -> None:
        """Keep a message."""
        self.messages[message.id] = message

    async def mutate_message(self, ctx: Context, message: Message) -> None:
        """Keep the new version of a message in the place of the old one."""
        self.messages[message.id] = message

    async def delete_message(self, ctx: Context, id: str) -> None:
        """Forget the message of that id."""
        self.messages.pop(id, None)
