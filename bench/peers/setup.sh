#!/usr/bin/env bash
# Make bench/peers/.venv-<peer> for one peer: setup.sh pydantic-ai-slim | openai-agents | langgraph
set -euo pipefail
peer=${1:?"usage: setup.sh pydantic-ai-slim | openai-agents | langgraph"}
folder="$(cd "$(dirname "$0")" && pwd)/.venv-$peer"
python3 -m venv --clear "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check "$peer" packaging
