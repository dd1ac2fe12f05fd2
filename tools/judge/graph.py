# pyright: reportMissingImports=false
# mypy: disable-error-code="import-not-found"
"""A small builder of ONNX graphs: nodes by operator, constants by value, matrices in int8."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from judge.weights import Array

Name = str


class Graph:
    """Collects nodes and initializers; each call returns the name of what it makes."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: dict[tuple[Any, ...], Name] = {}
        self._initializers: list[Any] = []
        self._count = 0

    def add(self, operator: str, *inputs: Name, outputs: int = 1, **attributes: Any) -> Any:
        """A node; one name, or a list of names where it has several outputs."""
        self._count += 1
        names = [f"{operator}_{self._count}_{place}" for place in range(outputs)]
        self._nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def store(self, name: Name, value: Array) -> Name:
        """A stored array."""
        self._initializers.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def constant(self, value: float | Sequence[int], kind: Any = np.float32) -> Name:
        """A small constant, stored once."""
        array = np.array(value, kind)
        key = (str(array.dtype), array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.store(f"constant_{len(self._constants)}", array)
        return self._constants[key]

    def integers(self, *values: int) -> Name:
        """A list of int64, as shapes and axes are given."""
        return self.constant(list(values), np.int64)

    def cast(self, value: Name, kind: int) -> Name:
        """The value in another type."""
        result: Name = self.add("Cast", value, to=kind)
        return result

    def model(self, inputs: Sequence[Name], output: Name, width: int) -> Any:
        """The finished model: int64 inputs [pairs, tokens], one float output [pairs, width]."""
        self._nodes.append(helper.make_node("Identity", [output], ["logits"]))
        graph = helper.make_graph(
            self._nodes,
            "judge",
            [
                helper.make_tensor_value_info(n, TensorProto.INT64, ["pairs", "tokens"])
                for n in inputs
            ],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", width])],
            self._initializers,
        )
        extensions = sorted({node.domain for node in self._nodes} - {""})
        opsets = [helper.make_opsetid("", 20), *(helper.make_opsetid(n, 1) for n in extensions)]
        model = helper.make_model(graph, opset_imports=opsets)
        model.ir_version = 9
        return model


def rounded(matrix: Array, most: int = 127) -> tuple[Array, Array]:
    """int8 rows and their scales; exact for what was rounded in the same way before."""
    scale = np.maximum(np.abs(matrix).max(1, keepdims=True) / most, 1e-12).astype(np.float32)
    return np.rint(matrix / scale).astype(np.int8), scale
