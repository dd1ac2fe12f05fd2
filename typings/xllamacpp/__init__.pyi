"""The part of xllamacpp that is used here; the package ships no types.

A `Server` runs llama.cpp in threads of its own and listens on `listening_address` as well. Its
constructor raises `RuntimeError` where the model cannot be loaded. `handle_chat_completions` takes
the request and hands its answer out as JSON texts, one for each piece; a callback that returns True
ends it.
"""

from collections.abc import Callable

class CommonParamsModel:
    path: str

class CpuParams:
    n_threads: int

class CommonParamsSampling:
    seed: int

class CommonParams:
    api_keys: list[str]
    cache_prompt: bool
    cache_ram_mib: int
    chat_template: str
    cors_origins: str
    cpuparams: CpuParams
    cpuparams_batch: CpuParams
    endpoint_metrics: bool
    endpoint_slots: bool
    fit_params: bool
    hostnames: list[str]
    model: CommonParamsModel
    model_alias: set[str]
    n_batch: int
    n_ctx: int
    n_gpu_layers: int
    n_parallel: int
    n_threads_http: int
    n_ubatch: int
    port: int
    sampling: CommonParamsSampling
    ui: bool
    verbosity: int
    warmup: bool
    def __init__(self) -> None: ...

class Server:
    def __init__(self, common_params: CommonParams) -> None: ...
    @property
    def listening_address(self) -> str: ...
    def handle_chat_completions(self, prompt: str, callback: Callable[[str], bool]) -> None: ...
    def handle_metrics(self) -> object: ...
