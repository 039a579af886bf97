"""Write a network as ONNX, layer by layer, from weights in numpy.

So can weights of JAX or TensorFlow be written: `numpy.asarray` makes arrays of theirs. Here, random
numbers stand for weights that were trained. It needs numpy and onnx.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(0)
weights = {
    "first": rng.normal(size=(4 * 25, 64)).astype("float32"),
    "second": rng.normal(size=(64, 25)).astype("float32"),
}
nodes = [
    helper.make_node("Flatten", ["planes"], ["flat"]),
    helper.make_node("MatMul", ["flat", "first"], ["sums"]),
    helper.make_node("Relu", ["sums"], ["hidden"]),
    helper.make_node("MatMul", ["hidden", "second"], ["logits"]),
]
graph = helper.make_graph(
    nodes,
    "agent",
    [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["games", 4, 5, 5])],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["games", 25])],
    [numpy_helper.from_array(array, name) for name, array in weights.items()],
)
opsets = [helper.make_opsetid("", 20)]
model = helper.make_model(graph, ir_version=9, opset_imports=opsets)
helper.set_model_props(model, {"scenario": "gym-5x5", "source": "random weights"})
onnx.save(model, "own.onnx")
