"""How a reader says that it cannot read a file."""


class Refused(Exception):
    """The file cannot be read. The message tells a person why, and what to do about it."""
