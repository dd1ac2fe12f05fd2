"""A model in a GGUF file, run in this process by llama.cpp."""

from tether.batteries.models.local.engine import LocalEngine
from tether.batteries.models.local.executor import LocalModel
from tether.batteries.models.local.llama import Endpoint
from tether.batteries.models.local.options import LocalModelOptions
from tether.batteries.models.local.progress import LoadProgress

__all__ = ["Endpoint", "LoadProgress", "LocalEngine", "LocalModel", "LocalModelOptions"]
