"""The documents agent: a question in, an answer that quotes its source or says that it cannot.

A name is loaded when it is first used: code that only reads answers does not load the agent.
"""

from typing import TYPE_CHECKING

from tether.late import late_names as _late_names

if TYPE_CHECKING:
    from tether.ask.agent import AskAgent as AskAgent
    from tether.ask.agent import ToolMaker as ToolMaker
    from tether.ask.answer import AbstainReason as AbstainReason
    from tether.ask.answer import Answer as Answer
    from tether.ask.answer import Citation as Citation
    from tether.ask.answer import Consulted as Consulted
    from tether.ask.answer import Near as Near
    from tether.ask.answer import Statement as Statement
    from tether.ask.answer import Verdict as Verdict
    from tether.ask.answer import Words as Words
    from tether.ask.events import AskEvent as AskEvent
    from tether.ask.events import Provisional as Provisional
    from tether.ask.events import Retracted as Retracted
    from tether.ask.events import Step as Step
    from tether.ask.events import Working as Working
    from tether.ask.evidence import Evidence as Evidence
    from tether.ask.library import IndexLibrary as IndexLibrary
    from tether.ask.library import Library as Library
    from tether.ask.model import AskModel as AskModel
    from tether.ask.model import Style as Style
    from tether.ask.quoting.executor import Extractive as Extractive
    from tether.ask.settings import AskSettings as AskSettings
    from tether.ask.settings import CodePolicy as CodePolicy
    from tether.ask.tools import AskTurn as AskTurn
    from tether.ask.verification.onnx import OnnxVerifier as OnnxVerifier
    from tether.ask.verification.port import Claim as Claim
    from tether.ask.verification.port import Opinion as Opinion
    from tether.ask.verification.port import Verifier as Verifier
    from tether.ask.verification.scripted import ScriptedVerifier as ScriptedVerifier

    __all__: list[str]
else:
    __all__, __getattr__, __dir__ = _late_names(
        __name__,
        """
        tether.ask.agent: AskAgent ToolMaker
        tether.ask.answer: AbstainReason Answer Citation Consulted Near Statement Verdict Words
        tether.ask.events: AskEvent Provisional Retracted Step Working
        tether.ask.evidence: Evidence
        tether.ask.library: IndexLibrary Library
        tether.ask.model: AskModel Style
        tether.ask.quoting.executor: Extractive
        tether.ask.settings: AskSettings CodePolicy
        tether.ask.tools: AskTurn
        tether.ask.verification.onnx: OnnxVerifier
        tether.ask.verification.port: Claim Opinion Verifier
        tether.ask.verification.scripted: ScriptedVerifier
        """,
    )
