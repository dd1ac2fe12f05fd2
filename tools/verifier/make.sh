#!/bin/sh
# Prepares the data, trains the verifier and writes verifier.onnx: make.sh TRUTH CLAIMS ENCODER INTO
set -eu
tools=$(dirname "$0")
export PYTHONPATH="$tools/.."
python3 -m verifier.prepare --truth "$1" --claims "$2" --encoder "$3" --into "$4/data"
python3 -m verifier.train --data "$4/data" --plan "$tools/plan.json" --into "$4"
python3 -m verifier.calibrate "$4"/scores-fold*.json
python3 -m verifier.export --weights "$4/verifier.npz" --into "$4/verifier.onnx" --temperature 2.0 --shift .65
