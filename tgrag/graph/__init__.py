"""Extractions become the temporal graph, by pure and causal functions.

Causal: what a text unit adds depends only on units before it in reading order and on itself. Hence the graph
of a text cut at N is the part of the whole graph that is known at N.
"""
