"""Makes the embedder that the package ships: one int8 ONNX file from public weights."""
