"""Which chat model the settings mean."""

from tgrag.errors import ConfigurationError
from tgrag.models.chat import ChatModel
from tgrag.settings import ChatSettings, EngineSettings


def open_chat(
    settings: ChatSettings, *, urgent: bool = False, engine: EngineSettings | None = None
) -> ChatModel:
    """Open the chat model. urgent: its calls go before those for an index, where both run on this Ray.

    engine: start this one in the process rather than ask a deployment.

    Raises ConfigurationError when the settings name none, or not enough.
    """
    if engine is not None:
        from tgrag.models.vllm.own import OwnChat

        return OwnChat(settings, engine)
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
