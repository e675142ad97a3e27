"""Which chat model the settings mean."""

from tgrag.errors import ConfigurationError
from tgrag.models.chat import ChatModel
from tgrag.settings import ChatSettings


def open_chat(settings: ChatSettings, *, urgent: bool = False) -> ChatModel:
    """Open the chat model. urgent: its calls go before those for an index, where both run on this Ray.

    Raises ConfigurationError when the settings name none, or not enough.
    """
    match settings.backend:
        case "openai":
            from tgrag.models.openai_chat import OpenAIChat

            return OpenAIChat(settings)
        case "serve":
            from tgrag.models.served_chat import ServedChat

            return ServedChat(settings, urgent=urgent)
        case "recorded":
            from tgrag.models.recorded_chat import RecordedChat

            return RecordedChat(settings)
        case "none":
            raise ConfigurationError("no chat model is set; set chat.backend (openai, serve or recorded)")
