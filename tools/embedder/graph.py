# pyright: reportMissingImports=false, reportMissingTypeStubs=false, reportUnknownParameterType=false
# mypy: disable-error-code="import-not-found,import-untyped"
"""The graph of all-MiniLM-L6-v2, written down for ONNX Runtime on a CPU.

Nothing but what one text needs: no mask, because texts are embedded one by one and nothing is
padded, and no second text, because there is none. Attention is one operation, which quantises its
input once in place of three times.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

LAYERS, HEADS, DIMENSIONS, EPSILON = 6, 12, 384, 1e-12
OWN = "com.microsoft"
"""The domain of ONNX Runtime's own operations."""


class MiniLmGraph:
    """Collects the nodes and weights of the model, layer by layer."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def model(self) -> ModelProto:
        """Return the whole model: token numbers in, one vector for each token out."""
        hidden = self._embedded()
        for layer in range(LAYERS):
            hidden = self._layer(f"encoder.layer.{layer}", hidden)
        graph = helper.make_graph(
            self._nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
            [
                helper.make_tensor_value_info(
                    hidden, TensorProto.FLOAT, ["batch", "tokens", DIMENSIONS]
                )
            ],
            self._constants,
        )
        sets = [helper.make_opsetid("", 18), helper.make_opsetid(OWN, 1)]
        return helper.make_model(graph, opset_imports=sets, ir_version=9)

    def _embedded(self) -> str:
        """Add the vectors of words and places; the type of a text is 0 and joins its place."""
        words = self._constant("words", self._weights["embeddings.word_embeddings.weight"])
        places = self._constant(
            "places",
            self._weights["embeddings.position_embeddings.weight"]
            + self._weights["embeddings.token_type_embeddings.weight"][0],
        )
        zero = self._constant("zero", np.zeros(1, np.int64))
        length = self._node("Shape", ["input_ids"], {"end": 2, "start": 1})
        here = self._node("Slice", [places, zero, length, zero])
        summed = self._node("Add", [self._node("Gather", [words, "input_ids"]), here])
        scale, shift = self._pair("embeddings.LayerNorm")
        return self._node(
            "LayerNormalization", [summed, scale, shift], {"axis": -1, "epsilon": EPSILON}
        )

    def _layer(self, name: str, hidden: str) -> str:
        attended = self._node(
            "Attention", [hidden, *self._projections(name)], {"num_heads": HEADS}, domain=OWN
        )
        attention = self._added(f"{name}.attention.output", attended, hidden)
        weight, bias = self._linear(f"{name}.intermediate.dense")
        wide = self._node("FastGelu", [self._node("MatMul", [attention, weight]), bias], domain=OWN)
        return self._added(f"{name}.output", wide, attention)

    def _projections(self, name: str) -> tuple[str, str]:
        """Return weight and bias of query, key and value side by side."""
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        weight = np.concatenate([self._weights[f"{part}.weight"].T for part in parts], axis=1)
        bias = np.concatenate([self._weights[f"{part}.bias"] for part in parts])
        return self._constant(f"{name}.qkv", weight), self._constant(f"{name}.qkv.bias", bias)

    def _added(self, name: str, value: str, skipped: str) -> str:
        """Project the value, add what was skipped and bring the sum to scale."""
        weight, bias = self._linear(f"{name}.dense")
        scale, shift = self._pair(f"{name}.LayerNorm")
        projected = self._node("MatMul", [value, weight])
        inputs = [projected, skipped, scale, shift, bias]
        return self._node("SkipLayerNormalization", inputs, {"epsilon": EPSILON}, domain=OWN)

    def _linear(self, name: str) -> tuple[str, str]:
        weight = self._constant(f"{name}.weight", self._weights[f"{name}.weight"].T)
        return weight, self._constant(f"{name}.bias", self._weights[f"{name}.bias"])

    def _pair(self, name: str) -> tuple[str, str]:
        names = f"{name}.weight", f"{name}.bias"
        return self._constant(names[0], self._weights[names[0]]), self._constant(
            names[1], self._weights[names[1]]
        )

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _node(
        self,
        kind: str,
        inputs: list[str],
        attributes: Mapping[str, float] = MappingProxyType({}),
        *,
        domain: str = "",
    ) -> str:
        output = f"{kind.lower()}_{len(self._nodes)}"
        node = helper.make_node(kind, inputs, [output], output, domain=domain)
        for name, value in attributes.items():
            node.attribute.append(helper.make_attribute(name, value))
        self._nodes.append(node)
        return output
