"""vLLM's engines as Serve deployments: one thin class each for chat, embedding and reranking, on GPU and CPU alike.

Only a replica imports vLLM. What crosses processes is builtins, exceptions included: a foreign one would make the
controller, the proxies and every caller import vLLM and torch to read it.
"""
