"""What a name is made of, and which names may be one person's."""
