"""A model in a GGUF file, run in this process."""

from __future__ import annotations

from pathlib import Path

from tether.app.models import fitted_profile
from tether.app.settings.values import Settings
from tether.ask.model import AskModel, Style
from tether.batteries.budget.profiles import ModelProfiles
from tether.batteries.models.local import LocalEngine, LocalModel
from tether.batteries.models.local.gguf import read_gguf
from tether.batteries.models.local.llama import require_package
from tether.trust.nonces import Nonces
from tether.trust.renderer import Renderer

LOCAL_WINDOW = 8_192
"""The default window in tokens; smaller for a model that was trained for less."""

TIMEOUT = 900.0
"""The default in seconds for one answer: a model on a CPU may take minutes to read a prompt."""

ANSWER_TOKENS, POINT_TOKENS, HELPER_TOKENS = 1_024, 150, 200
"""Points are short: a small model that starts to repeat itself would go on to the limit."""


class EngineModel(LocalModel):
    """A local model that owns its engine, and closes it."""

    async def aclose(self) -> None:
        """Close the model and its engine."""
        await super().aclose()
        await self._engine.aclose()


def local_model(settings: Settings, style: Style) -> AskModel:
    """Return the model in the file of the settings; the first question loads it.

    It decodes greedily unless a temperature is set, so that a question always has the same answer.
    Raises `InputRefused` if the package or the file is missing or unusable.
    """
    require_package()
    path = Path(settings.model)
    trained = read_gguf(path).trained_window
    window = settings.window or min(LOCAL_WINDOW, trained or LOCAL_WINDOW)
    engine = LocalEngine(
        path,
        context_window=window,
        threads=settings.threads or None,
        gpu_layers=settings.gpu_layers,
        seed=0,
    )
    nonces = Nonces()
    most = POINT_TOKENS if style == "points" else ANSWER_TOKENS
    executor = EngineModel(
        engine,
        nonces=nonces,
        max_tokens=max(1, min(most, window // 4)),
        temperature=settings.temperature or 0.0,
        request_timeout_ms=int((settings.timeout or TIMEOUT) * 1000),
        trailing_role="user",  # templates of small models refuse a late system message
    )
    known = ModelProfiles.load().find(settings.model_name or path.stem)
    return AskModel(
        name=settings.model_name or path.name,
        executor=executor,
        profile=fitted_profile(known, window=window, encoding=engine.encoding),
        style=style,
        helper=executor.executor(auto_ack=True, max_tokens=HELPER_TOKENS),
        renderer=Renderer(nonces=nonces),
        stash_key=LocalModel.STASH_KEY,
        pace=engine.pace,
    )
