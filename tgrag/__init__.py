"""tgrag: long documents become a temporal knowledge graph that answers with checked quotes."""

__version__ = "0.1.0"
