"""Models that researchers name on the hub, here as tiny random ones of the same architecture."""

from pathlib import Path

import pytest
import torch
import transformers

from metrics.errors import InputError
from metrics.runs import read_run
from rankers.neural.model_folder import load_model
from rankers.neural.transformer_models import CrossEncoder, MonoT5
from tests.program import failure, run_json
from tests.rankers.neural.material import TOPICS, WORDS, Material, make_material

CPU = torch.device("cpu")
PIECES = ["Query", "Document", "Relevant", "true", "false", "he", "she", "his", *TOPICS, *WORDS]
#: Probabilities of pieces as in sentencepiece; `▁` begins a word.
UNIGRAMS = [
    *((f"▁{piece}", -2.0) for piece in PIECES),
    *((character, -9.0) for character in "▁:abcdefghijklmnopqrstuvwxyz"),
]


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


def save_t5(folder: Path, pieces: list[tuple[str, float]] = UNIGRAMS) -> Path:
    """A random T5 with the special tokens of the real one."""
    vocabulary = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *pieces]
    tokenizer = transformers.T5Tokenizer(vocab=vocabulary, extra_ids=0)
    torch.manual_seed(0)
    config = transformers.T5Config(
        vocab_size=len(vocabulary), d_model=16, d_kv=4, d_ff=32, num_layers=2, num_heads=2,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_bge_reranker(folder: Path) -> Path:
    """A random XLM-RoBERTa with one label, as bge-reranker-base and -v2-m3 are."""
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *UNIGRAMS]
    tokenizer = transformers.XLMRobertaTokenizer(vocab=[*vocabulary, ("<mask>", 0.0)])
    tokenizer.model_max_length = 32
    torch.manual_seed(0)
    config = transformers.XLMRobertaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=34, num_labels=1, type_vocab_size=1,
    )  # fmt: skip
    transformers.XLMRobertaForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def reranked(material: Material, model: Path, output: Path, *more: str) -> list[str]:
    """The first query's documents after the documented command."""
    run_json(
        "rerank", "--model", model, *more, "--run", material.run, "--depth", 20, "--collection",
        material.collection, "--queries", material.queries, "--output", output, "--device", "cpu",
    )  # fmt: skip
    return read_run(output).documents("0")


def test_a_monot5_is_asked_as_it_was_trained(material: Material, tmp_path: Path) -> None:
    folder = save_t5(tmp_path / "t5")
    model = load_model(str(folder), CPU, "monot5")
    assert isinstance(model, MonoT5)
    theirs = transformers.T5ForConditionalGeneration.from_pretrained(folder).eval()
    query, text = "river report", "the river is new"

    found = model(model.prepare([query, "chess"], [text, "light " * 900]))

    prompt = model.tokenizer(f"Query: {query} Document: {text} Relevant:", return_tensors="pt")
    logits = theirs(**prompt, decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
    true, false = (model.tokenizer(word).input_ids[0] for word in ("true", "false"))
    assert model.tokenizer.convert_ids_to_tokens([true, false]) == ["▁true", "▁false"]
    torch.testing.assert_close(found[0], logits[true] - logits[false], atol=1e-5, rtol=0)
    # Of a long passage the end is cut, not the question.
    long = model.prepare([query], ["light " * 900]).input_ids[0]
    assert len(long) == 512
    assert long[-3:].tolist() == prompt.input_ids[0][-3:].tolist()
    assert len(reranked(material, folder, tmp_path / "t5.run", "--kind", "monot5")) == 20


def test_a_t5_of_another_purpose_is_refused(material: Material, tmp_path: Path) -> None:
    folder = save_t5(tmp_path / "t5")

    with pytest.raises(InputError, match="--kind monot5"):
        load_model(str(folder), CPU)
    mute = save_t5(tmp_path / "mute", [one for one in UNIGRAMS if one[0] != "▁true"])
    said = failure(
        "rerank", "--model", mute, "--kind", "monot5", "--run", material.run, "--collection",
        material.collection, "--queries", material.queries, "--output", tmp_path / "y.run",
    )  # fmt: skip
    assert "no token for 'true'" in said


def test_a_bge_reranker_gives_the_logit_of_its_only_label(
    material: Material, tmp_path: Path
) -> None:
    folder = save_bge_reranker(tmp_path / "bge")
    model = load_model(str(folder), CPU)
    assert isinstance(model, CrossEncoder)
    theirs = transformers.XLMRobertaForSequenceClassification.from_pretrained(folder).eval()

    found = model(model.prepare(["river report"] * 2, ["the river is new", "light " * 90]))

    pair = model.tokenizer("river report", "the river is new", return_tensors="pt")
    torch.testing.assert_close(found[0], theirs(**pair).logits[0, 0], atol=1e-5, rtol=0)
    assert len(reranked(material, folder, tmp_path / "bge.run")) == 20
