#!/bin/sh
# Prepares the data, trains the judge and writes judge.int8.onnx: make.sh DATA CORPORA ENCODER FIRST INTO
set -eu
tools=$(dirname "$0")
export PYTHONPATH="$tools/.."
python3 -m judge.prepare --data "$1" --corpora "$2" --into "$5/pools"
python3 -m judge.pack --safetensors "$3" --into "$5/encoder.npz"
python3 -m judge.train --pools "$5/pools" --encoder "$5/encoder.npz" --first "$4" \
    --vocabulary "$tools/../../src/tether/retrieval/models/vocab.txt" --plan "$tools/plan.json" --into "$5"
python3 -m judge.export --weights "$5/judge.npz" --into "$5/judge.int8.onnx"
