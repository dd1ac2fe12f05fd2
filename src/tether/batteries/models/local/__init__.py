"""A model in a GGUF file, run in this process by llama.cpp."""

from tether.batteries.models.local.engine import LocalEngine
from tether.batteries.models.local.executor import LocalModel, LocalModelOptions
from tether.batteries.models.local.gguf import LoadProgress
from tether.batteries.models.local.llama import Endpoint

__all__ = ["Endpoint", "LoadProgress", "LocalEngine", "LocalModel", "LocalModelOptions"]
