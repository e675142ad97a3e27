"""What besides likeness to the question speaks for a text unit: one signal a module.

Each is a function from what is visible to a ``Ranking`` of the text units that have it, scores above 0; the weight of
each is a setting (``SearchSettings.signals``).
"""
