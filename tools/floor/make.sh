#!/bin/sh
# Searches the corpora, prints the tables of docs/calibration.md and writes the prior: make.sh DATA TREES INTO
set -eu
tools=$(dirname "$0")
export PYTHONPATH="$tools/.."
python3 -m floor.search --data "$1" --trees "$2" --into "$3"
python3 -m floor.fit "$3" --into "$tools/../../src/tether/retrieval/floor/prior.json"
