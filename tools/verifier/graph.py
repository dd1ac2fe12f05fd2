# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""The verifier as an ONNX graph: an MPNet encoder with a head over both parts of a claim.

Weights in 8 bits (the attention) are rounded once for each output, those in 4 bits (feed-forward
layers) once for each 32 inputs; activations for each token alone, so an opinion does not depend on
what else is read. The graph takes word pieces of BERT's vocabulary: its table of words is
put in that order, with the encoder's marks in the places of `[CLS]` and `[SEP]`.
"""

from typing import Any

import numpy as np
from onnx import TensorProto

from judge.graph import Graph, Name, rounded
from judge.weights import Array, Weights
from verifier.rounding import BLOCK, blocked, buckets

WIDTH, HEADS = 768, 12
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
WORDS, CLASS, SEPARATOR = 30_522, 101, 102
SHIFT, FIRST, LAST = 4, 0, 2
"""Where BERT's words begin in the encoder's table, and its `<s>` and `</s>`."""

POSITIONS, LONGEST = 2, 256
"""The place of the first token in the encoder's table of places; how many are kept."""


class VerifierGraph:
    """Builds the graph of one set of weights, named as the encoder names them.

    `attention` and `feed_forward` are the bits of a weight there, 8 or 4.
    """

    def __init__(self, values: Weights, *, attention: int = 8, feed_forward: int = 4) -> None:
        self._values = values
        self._attention, self._feed_forward = attention, feed_forward
        self._graph = Graph()
        names = (name for name in values if name.endswith(".attention.attn.q.weight"))
        self._layers = len(list(names))

    def model(self) -> Any:
        """Return the whole model: three logits for each claim."""
        graph = self._graph
        mask = graph.cast(INPUTS[1], TensorProto.FLOAT)
        hidden = graph.add("Mul", graph.add("Sub", mask, graph.constant(1.0)), graph.constant(1e4))
        distances = self._distances()
        hidden = graph.add("Unsqueeze", hidden, graph.integers(1, 2))
        bias = graph.add("Add", distances, hidden)
        states = self._embedded()
        for number in range(self._layers):
            states = self._layer(number, states, bias)
        return graph.model(INPUTS, self._head(states, mask), 3)

    def _embedded(self) -> Name:
        """Return the vectors of words and places, added up."""
        graph, table = self._graph, "encoder.embeddings"
        words = self._values[f"{table}.word_embeddings.weight"]
        pieces, scale = rounded(_in_order(words))
        found = graph.add("Gather", graph.store("word", pieces), INPUTS[0])
        shown = graph.cast(found, TensorProto.FLOAT)
        scales = graph.add("Gather", graph.store("word.scale", scale), INPUTS[0])
        length = graph.add("Shape", INPUTS[0], start=1, end=2)
        places = self._values[f"{table}.position_embeddings.weight"][POSITIONS:][:LONGEST]
        positions = graph.store("position", places.astype(np.float32))
        here = graph.add("Slice", positions, graph.integers(0), length, graph.integers(0))
        total = graph.add("Add", graph.add("Mul", shown, scales), here)
        return self._normal(f"{table}.LayerNorm", total)

    def _distances(self) -> Name:
        """Return what each head adds for the distance between two tokens [1, heads, t, t]."""
        graph = self._graph
        weights = self._values["encoder.encoder.relative_attention_bias.weight"]
        chosen = weights[buckets(np.arange(-LONGEST + 1, LONGEST))]
        table = graph.store("distance", chosen.astype(np.float32))
        length = graph.add("Squeeze", graph.add("Shape", INPUTS[0], start=1, end=2))
        zero, one = graph.constant(0, np.int64), graph.constant(1, np.int64)
        places = graph.add("Range", zero, length, one)
        columns = graph.add("Unsqueeze", places, graph.integers(0))
        rows = graph.add("Unsqueeze", places, graph.integers(1))
        apart = graph.add("Sub", columns, rows)
        apart = graph.add("Add", apart, graph.constant(LONGEST - 1, np.int64))
        found = graph.add("Transpose", graph.add("Gather", table, apart), perm=[2, 0, 1])
        result: Name = graph.add("Unsqueeze", found, graph.integers(0))
        return result

    def _layer(self, number: int, states: Name, bias: Name) -> Name:
        graph, prefix = self._graph, f"encoder.encoder.layer.{number}"
        attended = self._attended(f"{prefix}.attention.attn", states, bias)
        states = self._normal(f"{prefix}.attention.LayerNorm", graph.add("Add", states, attended))
        inner = graph.add("Gelu", self._linear(f"{prefix}.intermediate.dense", states))
        lowered = self._linear(f"{prefix}.output.dense", inner)
        return self._normal(f"{prefix}.output.LayerNorm", graph.add("Add", states, lowered))

    def _attended(self, prefix: str, states: Name, bias: Name) -> Name:
        graph = self._graph
        parts = [self._linear(f"{prefix}.{part}", states) for part in "qkv"]
        shape = graph.integers(0, 0, HEADS, WIDTH // HEADS)
        query, key, value = (graph.add("Reshape", part, shape) for part in parts)
        query = graph.add("Mul", query, graph.constant(1 / np.sqrt(WIDTH / HEADS)))
        query, value = (graph.add("Transpose", part, perm=[0, 2, 1, 3]) for part in (query, value))
        key = graph.add("Transpose", key, perm=[0, 2, 3, 1])
        weights = graph.add("Add", graph.add("MatMul", query, key), bias)
        joined = graph.add("MatMul", graph.add("Softmax", weights, axis=-1), value)
        joined = graph.add("Transpose", joined, perm=[0, 2, 1, 3])
        joined = graph.add("Reshape", joined, graph.integers(0, 0, WIDTH))
        return self._linear(f"{prefix}.o", joined)

    def _head(self, states: Name, mask: Name) -> Name:
        """Return the logits: the first token, the means of both parts, product and distance."""
        graph = self._graph
        kinds = graph.cast(INPUTS[2], TensorProto.FLOAT)
        told = graph.add("Mul", mask, kinds)
        one, two = (self._mean(states, part) for part in (graph.add("Sub", mask, told), told))
        seen = [
            graph.add("Gather", states, graph.constant(0, np.int64), axis=1),
            one,
            two,
            graph.add("Mul", one, two),
            graph.add("Abs", graph.add("Sub", one, two)),
        ]
        joined = graph.add("Concat", *seen, axis=-1)
        inner = graph.add("Gelu", self._small("first", joined))
        return self._small("second", inner)

    def _mean(self, states: Name, part: Name) -> Name:
        graph = self._graph
        shown = graph.add("Mul", states, graph.add("Unsqueeze", part, graph.integers(2)))
        total = graph.add("ReduceSum", shown, graph.integers(1), keepdims=0)
        count = graph.add("ReduceSum", part, graph.integers(1), keepdims=1)
        result: Name = graph.add("Div", total, graph.add("Max", count, graph.constant(1.0)))
        return result

    def _normal(self, name: str, states: Name) -> Name:
        graph = self._graph
        parts = [
            graph.store(f"{name}.{part}", self._values[f"{name}.{part}"].astype(np.float32))
            for part in ("weight", "bias")
        ]
        result: Name = graph.add("LayerNormalization", states, *parts, axis=-1, epsilon=1e-5)
        return result

    def _bias(self, name: str) -> Name:
        return self._graph.store(f"{name}.bias", self._values[f"{name}.bias"].astype(np.float32))

    def _small(self, name: str, states: Name) -> Name:
        """Return a layer of the head, in 16 bits: it is small, and decides."""
        graph = self._graph
        matrix = graph.store(f"{name}.weight", self._values[f"{name}.weight"].T.astype(np.float16))
        whole = graph.cast(matrix, TensorProto.FLOAT)
        result: Name = graph.add("Add", graph.add("MatMul", states, whole), self._bias(name))
        return result

    def _linear(self, name: str, states: Name) -> Name:
        bits = self._attention if ".attention." in name else self._feed_forward
        layer = self._in_eight_bits if bits == 8 else self._in_four_bits
        return layer(name, states)

    def _in_eight_bits(self, name: str, states: Name) -> Name:
        """Return states @ weights + bias; each token has its own scale."""
        graph = self._graph
        pieces, scale = rounded(self._values[f"{name}.weight"])
        matrix = graph.store(f"{name}.weight", pieces.T)
        largest = graph.add("ReduceMax", graph.add("Abs", states), graph.integers(-1), keepdims=1)
        largest = graph.add("Max", largest, graph.constant(1e-9))
        step = graph.add("Mul", largest, graph.constant(1 / 127))
        whole = graph.add("Round", graph.add("Div", states, step))
        small = graph.cast(graph.add("Add", whole, graph.constant(128.0)), TensorProto.UINT8)
        product = graph.add("MatMulInteger", small, matrix, graph.constant(128, np.uint8))
        # not `product * (step * scales)`: ONNX Runtime would fuse that, with one step for all rows
        product = graph.add("Mul", graph.cast(product, TensorProto.FLOAT), step)
        product = graph.add("Mul", product, graph.store(f"{name}.scale", scale[:, 0]))
        result: Name = graph.add("Add", product, self._bias(name))
        return result

    def _in_four_bits(self, name: str, states: Name) -> Name:
        """Return states @ weights + bias, by an operator of ONNX Runtime."""
        graph = self._graph
        pieces, scale = blocked(self._values[f"{name}.weight"])
        outputs, inputs = self._values[f"{name}.weight"].shape
        stored = graph.store(f"{name}.weight", pieces), graph.store(f"{name}.scale", scale)
        result: Name = graph.add(
            "MatMulNBits",
            *(states, *stored, "", "", self._bias(name)),
            domain="com.microsoft",
            K=inputs,
            N=outputs,
            bits=4,
            block_size=BLOCK,
            accuracy_level=4,
        )
        return result


def _in_order(words: Array) -> Array:
    """Return the table of words in the order of BERT's vocabulary."""
    table = words[SHIFT : SHIFT + WORDS].copy()
    table[CLASS], table[SEPARATOR] = words[FIRST], words[LAST]
    return table
