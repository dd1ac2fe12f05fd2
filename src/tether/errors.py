"""Every error the package raises, in one tree.

Each class lives in the layer that raises it and is loaded from there when it is first used. Three
families, because three different people act on them:

    TetherError                            code, status, fatal, retryable, help
    ├── UsageError (fatal)                 the calling code is wrong; raised where the mistake is
    │   ├── InvalidInput                   lists every bad field at once
    │   │   ├── InvalidTurnRunnerConfig, InvalidTurnContext
    │   │   ├── InvalidLlmExecutionContext, InvalidLlmDispatchInput
    │   │   ├── InvalidInitialRegistryValue, InvalidInitialIdentityValue
    │   │   ├── InvalidInitialTokenizableValue, InvalidInitialStandingInstructionValue
    │   │   ├── InvalidInitialMessageValue, InvalidInitialMemoryValue
    │   │   ├── InvalidInitialReaderValue, InvalidSpools
    │   │   ├── InvalidInitialMediaValue   also when only its reader is wrong:
    │   │   │   └── NotAMediaReader
    │   │   ├── InvalidInitialRetrievableValue, InvalidInitialThoughtValue
    │   │   ├── InvalidInitialToolCallValue, InvalidInitialToolValue
    │   │   ├── InvalidInitialTurnGateValue, InvalidTurnGateResolution
    │   │   ├── InvalidWebAccess, InvalidRenderer, InvalidBudget, InvalidModelProfile
    │   │   ├── InvalidInitialChunkValue, InvalidInitialPassageValue
    │   │   ├── InvalidRetrievalSettings, InvalidAskSettings, InvalidSettings
    │   │   └── InvalidModelOptions        of an executor; of one wire:
    │   │       └── InvalidOpenaiChatCompletionsOptions
    │   ├── InvalidRegistryPath, InvalidListener, UnknownEvent, StreamSealed
    │   ├── NotASpoolReader, LlmExecutionAlreadySignalled
    │   ├── TokenizableEvaluatorInvalid, TokenEstimatorShadowsBuiltin
    │   ├── ToolAlreadyRegistered, ArtifactIdCollision, UnsupportedMediaModality
    │   └── ModelContextOverflow           the prompt does not fit; of one wire:
    │       └── OpenaiChatCompletionsContextOverflow
    ├── RunError (not fatal)               something failed while a turn ran; reported as an event
    │   ├── InputPipelineError, OutputPipelineError, DispatchPipelineError
    │   ├── PipelineShortCircuited, LlmExecutionExecutorError, LlmExecutionNacked
    │   ├── TurnGateTimeout, TurnGateAborted, LlmExecutionGateNotSupported
    │   ├── InvalidToolArgs, ToolDownstreamError, ReaderNotDescribable, NoReaderResolver
    │   ├── InputRefused                   a tool or a reader cannot work with its input:
    │   │   └── LimitExceeded              it would be too large or take too long
    │   ├── TurnLimitReached, LocalModelFailed
    │   ├── DocumentUnreadable, SourceUnavailable
    │   ├── IndexMissing, IndexLocked, IndexWriteFailed, IndexDamaged, IndexFormatUnsupported
    │   ├── EmbedderMismatch, EmbeddingFailed, JudgeFailed, ProviderFailed
    │   ├── CalibrationMismatch, CalibrationImpossible
    │   ├── StoreFailed, StoreDamaged, StoreFormatUnsupported, RecordMissing
    │   ├── MemoryRefused, GateSettled, ReceiptUnreadable, VerifierFailed
    │   ├── OfflineRefused, ProjectUntrusted
    │   ├── ModelHttpError                 a model's endpoint failed; of one wire:
    │   │   └── OpenaiChatCompletionsHttpError
    │   ├── ModelStreamError               the reply broke off
    │   │   ├── OpenaiChatCompletionsStreamError
    │   │   ├── ModelToolArgsTooLarge      its calls have too many arguments
    │   │   └── ModelStreamStalled         it went silent
    │   │       └── OpenaiChatCompletionsStreamStalled
    │   ├── ModelRequestTimeout            it took too long
    │   │   └── OpenaiChatCompletionsRequestTimeout
    │   └── ModelInvalidToolCallArgs       reported to the model
    │       └── OpenaiChatCompletionsInvalidToolCallArgs
    └── Aborted                            not a failure: the work was asked to stop

The class name is the code in CamelCase (`E_TURN_GATE_TIMEOUT` is `TurnGateTimeout`), which a test
checks. Codes are stable; messages are not.
"""

from typing import TYPE_CHECKING

from tether.late import late_names as _late_names

if TYPE_CHECKING:
    from tether.app.errors import *  # noqa: F403
    from tether.ask.errors import *  # noqa: F403
    from tether.batteries.budget.errors import *  # noqa: F403
    from tether.batteries.models.errors import *  # noqa: F403
    from tether.batteries.storage.errors import *  # noqa: F403
    from tether.batteries.web.errors import *  # noqa: F403
    from tether.core.errors import *  # noqa: F403
    from tether.retrieval.errors import *  # noqa: F403
    from tether.runtime.errors import *  # noqa: F403
    from tether.trust.errors import *  # noqa: F403

    __all__: list[str]
else:
    __all__, __getattr__, __dir__ = _late_names(
        __name__,
        """
        tether.core.errors:
            Problem Overrides TetherError UsageError RunError Aborted InvalidInput
            InvalidInitialRegistryValue InvalidInitialTokenizableValue InvalidInitialIdentityValue
            InvalidInitialMessageValue InvalidInitialMediaValue InvalidInitialReaderValue
            NotAMediaReader InvalidInitialMemoryValue InvalidInitialRetrievableValue
            InvalidInitialThoughtValue InvalidInitialToolCallValue InvalidInitialToolValue
            InvalidRegistryPath NotASpoolReader TokenizableEvaluatorInvalid
            TokenEstimatorShadowsBuiltin InputRefused LimitExceeded ReaderNotDescribable
            NoReaderResolver
        tether.runtime.errors:
            InvalidTurnRunnerConfig InvalidTurnContext InvalidLlmExecutionContext
            InvalidLlmDispatchInput InvalidInitialStandingInstructionValue
            InvalidInitialTurnGateValue InvalidTurnGateResolution InvalidListener UnknownEvent
            StreamSealed LlmExecutionAlreadySignalled ToolAlreadyRegistered ArtifactIdCollision
            InputPipelineError OutputPipelineError DispatchPipelineError PipelineShortCircuited
            LlmExecutionExecutorError LlmExecutionNacked TurnGateTimeout TurnGateAborted
            LlmExecutionGateNotSupported InvalidToolArgs ToolDownstreamError
        tether.trust.errors: InvalidRenderer UnsupportedMediaModality
        tether.retrieval.errors:
            InvalidRetrievalSettings InvalidInitialChunkValue InvalidInitialPassageValue
            DocumentUnreadable SourceUnavailable IndexMissing IndexLocked
            IndexWriteFailed IndexDamaged IndexFormatUnsupported EmbedderMismatch EmbeddingFailed
            JudgeFailed ProviderFailed CalibrationMismatch CalibrationImpossible
        tether.batteries.budget.errors:
            InvalidBudget InvalidModelProfile ModelContextOverflow TurnLimitReached
        tether.batteries.models.errors:
            InvalidModelOptions InvalidOpenaiChatCompletionsOptions
            OpenaiChatCompletionsContextOverflow LocalModelFailed ModelHttpError ModelStreamError
            ModelStreamStalled ModelToolArgsTooLarge ModelRequestTimeout
            ModelInvalidToolCallArgs
            OpenaiChatCompletionsHttpError OpenaiChatCompletionsStreamError
            OpenaiChatCompletionsStreamStalled OpenaiChatCompletionsRequestTimeout
            OpenaiChatCompletionsInvalidToolCallArgs
        tether.batteries.storage.errors:
            InvalidSpools StoreFailed StoreDamaged StoreFormatUnsupported RecordMissing
            MemoryRefused GateSettled
        tether.batteries.web.errors: InvalidWebAccess
        tether.ask.errors: InvalidAskSettings InvalidSettings ReceiptUnreadable VerifierFailed
        tether.app.errors: OfflineRefused ProjectUntrusted
        """,
    )
