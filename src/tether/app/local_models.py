"""A model in a GGUF file, run in this process."""

from __future__ import annotations

from pathlib import Path

from tether.app.model_profiles import fitted_profile
from tether.app.settings.values import Settings
from tether.ask.model import AskModel, Style
from tether.batteries.budget.profiles import ModelProfiles
from tether.batteries.models.local import LocalEngine, LocalModel
from tether.batteries.models.local.gguf import read_gguf
from tether.batteries.models.local.llama import require_package
from tether.trust.nonces import Nonces
from tether.trust.renderer import Renderer

LOCAL_WINDOW = 8_192
"""Tokens that a local model is given room for, where it was trained for as many."""

ANSWER_TOKENS, CLAIM_TOKENS, HELPER_TOKENS = 1_024, 400, 200
"""A few claims are short; a small model that loses itself in one would go on to the limit."""


class EngineModel(LocalModel):
    """A local model that was given an engine of its own, and closes it."""

    async def aclose(self) -> None:
        """Let the model go."""
        await super().aclose()
        await self._engine.aclose()


def local_model(settings: Settings, style: Style) -> AskModel:
    """Return the model in the file that the settings name; it is loaded with the first question.

    It writes the likeliest words unless a temperature is set, so that the same question has the
    same answer. Raises `InputRefused` where the package or the file is missing or unfit.
    """
    require_package()
    path = Path(settings.model)
    trained = read_gguf(path).trained_window
    window = settings.window or min(LOCAL_WINDOW, trained or LOCAL_WINDOW)
    engine = LocalEngine(path, context_window=window, seed=0)
    nonces = Nonces()
    most = CLAIM_TOKENS if style == "claims" else ANSWER_TOKENS
    executor = EngineModel(
        engine,
        nonces=nonces,
        max_tokens=max(1, min(most, window // 4)),
        temperature=settings.temperature or 0.0,
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
    )
