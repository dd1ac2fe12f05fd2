#!/bin/sh
# Collects the sets, trains the judge on units and writes judge.int8.onnx: make.sh INDEXES QUESTIONS DATA INTO
set -eu
tools=$(dirname "$0")
export PYTHONPATH="$tools/..:$tools/../../src"
for questions in "$tools"/questions/*.jsonl.gz "$2"/*.jsonl.gz; do
    python3 -m selector.collect --indexes "$1" --questions "$questions" --into "$4/sets"
done
python3 -m selector.fit "$4"/sets/*.jsonl.gz
python3 -m selector.train --sets "$4/sets" --data "$3" --plan "$tools/plan.json" --into "$4"
python3 -m selector.combine --sets "$4/sets" --logits "$4"/student-fold*.json
python3 -m judge.export --weights "$4/judge.npz" --into "$4/judge.int8.onnx"
