"""The model that training starts from."""

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from torch import Tensor, nn

from metrics.errors import InputError
from metrics.io.lines import MAX_LINE, numbered_lines, open_text
from rankers.neural.kernels import EXACT_WIDTH
from rankers.neural.model_folder import RELEVANCE_LABELS, PairModel, check_encoder
from rankers.neural.pretrained import load_config, load_cross_encoder
from rankers.neural.registry import NETWORKS
from rankers.neural.transformer_models import CrossEncoder, head_of
from rankers.neural.vocabulary import PADDING, UNKNOWN, Vocabulary, build_vocabulary
from rankers.neural.word_model import WordModel
from rankers.training_settings import Head
from rankers.word_vectors import word_vectors, write_glove

DIMENSIONS = 300


def random_embeddings(n_words: int, dimensions: int, seed: int) -> Tensor:
    """Vectors (n_words, dimensions) drawn from N(0, 1), zero for no word."""
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(n_words, dimensions, generator=generator)
    vectors[PADDING] = 0
    return vectors


def read_glove(path: Path, vocabulary: Vocabulary, seed: int) -> tuple[Tensor, int]:
    """Vectors of the vocabulary, and how many of its words the file has.

    A line is a word and its numbers, between single blanks; before them may stand how many words
    and how many numbers of each there are, as word2vec and fastText write it. Words that the file
    lacks start at random. Raises `InputError` with file and line for a line of another width, and
    for what is not a number.
    """
    rows: dict[int, np.ndarray[tuple[int], np.dtype[np.float32]]] = {}
    width = 0
    with open_text(path) as stream:
        for number, raw in numbered_lines(stream, path, MAX_LINE):
            word, *values = raw.decode("utf-8", "replace").rstrip(" \r\n").split(" ")
            if number == 1 and word.isdecimal() and len(values) == 1:
                continue
            width = width or len(values)
            if len(values) != width or not width:
                raise InputError(
                    f"{len(values)} numbers where the first line has {width}.",
                    path=path,
                    line=number,
                    remedy="Write a word and its vector on each line.",
                )
            if word in vocabulary.number_of:
                rows[vocabulary.number_of[word]] = _vector(values, path, number)
    if not rows:
        raise InputError("has none of the words of the collection.", path=path)
    vectors = random_embeddings(len(vocabulary), width, seed)
    for place, row in rows.items():
        vectors[place] = torch.from_numpy(row)
    return vectors, len(rows)


def _vector(
    values: list[str], path: Path, line: int
) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    try:
        vector = np.array(values, dtype=np.float32)
    except ValueError:
        raise InputError("a value is not a number.", path=path, line=line) from None
    if not np.isfinite(vector).all():
        raise InputError("a value is not a finite number.", path=path, line=line)
    return vector


ARCHITECTURES = (*NETWORKS, "bert")
_BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_GLOVE = "glove:"
_OWN = ("random", "corpus")
_WITH_HEAD = ("ForSequenceClassification", "ForTokenClassification")
_HEADS: dict[Head, Any] = {
    "pooler": transformers.BertForSequenceClassification,
    "first token": transformers.BertForTokenClassification,
}


@dataclass(frozen=True)
class Start:
    """`init`: `random`, `corpus`, `glove:FILE`, or (for bert) a model folder or a name on the hub.

    `corpus` makes word vectors of the collection itself, see `rankers.word_vectors`.
    `dimensions` of random word vectors; a random BERT has `layers` layers of that size.
    `exact_width` is the sigma of the kernel of exact matches, for networks with kernels; the last
    layer of a network is drawn from U(-r, r), r the `output_range`. `head`: where the linear layer
    that gives a bert's score reads, behind the pooler or on the first token's vector as it is.
    """

    architecture: str
    init: str = "random"
    dimensions: int = DIMENSIONS
    min_count: int = 1
    layers: int = 2
    exact_width: float = EXACT_WIDTH
    output_range: float = 0.014
    head: Head = "pooler"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.architecture not in ARCHITECTURES:
            raise InputError(
                f"there is no model {self.architecture!r}.",
                remedy=f"Use one of {', '.join(ARCHITECTURES)}.",
            )


def start_model(
    start: Start, texts: Callable[[], Iterable[str]], device: torch.device
) -> tuple[PairModel, int]:
    """The model, and how many of its parameters were transferred from elsewhere.

    `texts` gives the passages anew at each call, so that they need not lie in memory.
    """
    torch.manual_seed(start.seed)
    is_pretrained = start.init not in _OWN and not start.init.startswith(_GLOVE)
    if start.architecture == "bert" and is_pretrained:
        model = pretrained_bert(start).to(device)
        return model, sum(parameter.numel() for parameter in model.model.base_model.parameters())
    if is_pretrained:
        raise InputError(
            f"{start.architecture} starts from random, corpus or {_GLOVE}FILE, not from "
            f"{start.init!r}."
        )
    vocabulary = build_vocabulary(texts(), start.min_count)
    vectors, n_known = _word_vectors(start, vocabulary, texts)
    transferred = n_known * vectors.shape[1]
    if start.architecture == "bert":
        return _small_bert(start, vocabulary, vectors, n_known).to(device), transferred
    word_model = WordModel(start.architecture, len(vocabulary), vectors.shape[1], start.exact_width)
    output: Any = word_model.network.output
    nn.init.uniform_(output.weight, -start.output_range, start.output_range)
    word_model.embedding.weight.data = vectors
    word_model.use_vocabulary(vocabulary)
    return word_model.to(device), transferred


def pretrained_bert(start: Start) -> CrossEncoder:
    """The encoder of a folder or of the hub, with the head of `start`.

    `InputError` for a model of another kind, and for one whose head reads elsewhere: its weights
    would mean nothing there.
    """
    check_encoder(start.init)
    config = load_config(start.init)
    architecture = next(iter(config.architectures or []), "")
    has_head = architecture.endswith(_WITH_HEAD)
    if has_head and head_of(architecture) != start.head:
        raise InputError(
            f"its head reads the {head_of(architecture)}, but the head to train reads the "
            f"{start.head}.",
            path=start.init,
            remedy="Train both with the same --preset.",
        )
    if has_head and config.num_labels != RELEVANCE_LABELS:
        raise InputError(
            f"its head has {config.num_labels} labels, not the {RELEVANCE_LABELS} of relevance.",
            path=start.init,
            remedy="Give a base model of fairpool train, or an encoder without a head.",
        )
    model, tokenizer = load_cross_encoder(start.init, new_head=True, head=start.head)
    return CrossEncoder(model, tokenizer)


def _word_vectors(
    start: Start, vocabulary: Vocabulary, texts: Callable[[], Iterable[str]]
) -> tuple[Tensor, int]:
    """Vectors of the vocabulary, and how many of them come from elsewhere."""
    if start.init == "random":
        return random_embeddings(len(vocabulary), start.dimensions, start.seed), 0
    if start.init.startswith(_GLOVE):
        return read_glove(Path(start.init.removeprefix(_GLOVE)), vocabulary, start.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.txt"
        write_glove(*word_vectors(texts(), start.dimensions), path)
        return read_glove(path, vocabulary, start.seed)


def _small_bert(
    start: Start, vocabulary: Vocabulary, vectors: Tensor, n_known: int
) -> CrossEncoder:
    """A BERT of few layers over the words of the collection; other words are spelled."""
    hidden = vectors.shape[1]
    heads = next((n for n in (4, 2, 1) if hidden % n == 0), 1)
    words = vocabulary.words[UNKNOWN + 1 :]
    letters = sorted({letter for word in words for letter in word})
    pieces = [*_BERT_SPECIAL, *words, *letters, *(f"##{letter}" for letter in letters)]
    pieces = list(dict.fromkeys(pieces))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vocab.txt"
        path.write_text("\n".join(pieces) + "\n", encoding="utf-8")
        tokenizer = transformers.BertTokenizer(str(path), do_lower_case=True)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=hidden,
        num_hidden_layers=start.layers,
        num_attention_heads=heads,
        intermediate_size=4 * hidden,
        num_labels=2,
        classifier_dropout=0.0 if start.head == "first token" else None,
    )
    model = _HEADS[start.head](config)
    if n_known:
        table = model.bert.embeddings.word_embeddings.weight.data
        table[len(_BERT_SPECIAL) : len(_BERT_SPECIAL) + len(words)] = vectors[UNKNOWN + 1 :]
    return CrossEncoder(model, tokenizer)
