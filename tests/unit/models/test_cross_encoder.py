"""The reranker, with a tiny random cross-encoder that is made on the spot."""

from pathlib import Path

import numpy as np
import pytest

from tgrag.errors import ConfigurationError
from tgrag.models.cross_encoder import CrossEncoder
from tgrag.models.rerankers import open_reranker
from tgrag.settings import RerankSettings

WORDS = ["кто", "потерял", "ключ", "медный", "лежал", "на", "столе", "смотритель", "шторм", "ночью"]


def save_model(folder: Path, n_labels: int = 1) -> str:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    torch.manual_seed(0)
    vocabulary = {word: n for n, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    backend.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        num_labels=n_labels,
        initializer_range=0.5,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_model(tmp_path_factory.mktemp("model"))


PAIRS = [
    ("кто потерял ключ", "ключ лежал на столе"),
    ("кто потерял ключ", "шторм"),
    ("кто", " ".join(WORDS)),
    ("кто потерял ключ", "ключ лежал на столе"),
]


def test_a_score_belongs_to_its_pair_whatever_else_is_in_the_batch(model: str) -> None:
    together = CrossEncoder(RerankSettings(model=model, max_tokens=64)).score(PAIRS)
    alone = CrossEncoder(RerankSettings(model=model, max_tokens=64, batch=1))
    assert together.shape == (4,)
    assert np.allclose(together, [alone.score([pair])[0] for pair in PAIRS], atol=1e-5)
    assert together[0] == pytest.approx(together[3], abs=1e-5)
    assert len(set(together.round(4).tolist())) == 3
    assert ((together > 0) & (together < 1)).all()


def test_of_what_is_too_long_the_passage_is_cut(model: str) -> None:
    encoder = CrossEncoder(RerankSettings(model=model, max_tokens=16))
    passage = "ключ лежал на столе ночью шторм кто медный потерял смотритель"  # 3 + 3 special + 10 tokens
    whole, longer, other = encoder.score(
        [("кто потерял ключ", passage), ("кто потерял ключ", f"{passage} шторм шторм"), ("кто", passage)]
    )
    assert whole == pytest.approx(longer, abs=1e-5)
    assert whole != pytest.approx(other, abs=1e-5)


def test_a_question_longer_than_the_model_leaves_half_to_the_passage(model: str) -> None:
    encoder = CrossEncoder(RerankSettings(model=model, max_tokens=16))
    first, second = encoder.score([("кто " * 500, "ключ лежал"), ("кто " * 500, "шторм")])
    assert first != second


def test_nothing_has_no_scores(model: str) -> None:
    assert CrossEncoder(RerankSettings(model=model)).score([]).shape == (0,)


def test_what_is_no_reranker_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="several labels"):
        CrossEncoder(RerankSettings(model=save_model(tmp_path, n_labels=3)))


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"rerank\.model"):
        CrossEncoder(RerankSettings(model=str(tmp_path / "nothing")))


def test_without_a_model_there_is_no_reranker() -> None:
    assert open_reranker(RerankSettings()) is None
