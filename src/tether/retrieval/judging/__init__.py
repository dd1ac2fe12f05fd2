"""The judge: a cross-encoder that reads question and passage together."""

from tether.retrieval.judging.best import judge_best
from tether.retrieval.judging.budget import JudgeBudget, JudgePace
from tether.retrieval.judging.no_judge import NoOpJudge
from tether.retrieval.judging.onnx_judge import JudgeSettings, OnnxJudge, Opinion

__all__ = [
    "JudgeBudget",
    "JudgePace",
    "JudgeSettings",
    "NoOpJudge",
    "OnnxJudge",
    "Opinion",
    "judge_best",
]
