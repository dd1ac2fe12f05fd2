"""Words that carry no content of their own, in the languages that questions often come in."""

from __future__ import annotations

_ENGLISH = """
a about above after again all also although am an and any are as at be because been before being
below between both but by can could did do does doing done down during each either else etc ever
every few for from further get gets give given go goes had has have having he her here hers him
his how however i if in into is isn it its itself just like ll let make makes many may me might
more most much must my need needs no nor not now of off often on once one only or other our ours
out over own please re really s same shall she should so some such t than that the their theirs
them then there these they thing things this those though through thus to together too under until
up upon us use used uses using ve very was way we well were what whats when where whether which
while who whom whose why will with within without would yes yet you your yours don doesn didn won
tell explain describe mean means called known happen happens
"""
_GERMAN = """
der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wird
werden wurde wurden hat haben hatte kann können muss soll wie was wer wo wann warum welche
welcher welches wieviel viele ich du er sie es wir ihr man mich mir sich nicht auch nur noch
schon mit von vom zu zum zur bei nach für auf im in an am aus als dass wenn um
"""
_FRENCH = """
le la les l un une des du de d et ou mais est sont était être a ont avoir peut que qui
quoi quel quelle quels quelles comment pourquoi quand où combien je tu il elle on nous vous ils
elles ne pas plus ce cet cette ces son sa ses leur dans par pour sur avec sans au aux se y en c j n
qu s
"""
_SPANISH = """
el la los las un una unos unas de que y o en es son era ser qué quién cuál cómo
cuándo dónde por para con del al su sus se lo no
"""
_RUSSIAN = """
и в во не что он на я с со как а то все она они его но да ты к у же вы за бы по ее мне был была
было были от из или для о об где кто когда почему зачем сколько это такое чем какой какая
"""  # noqa: RUF001
_HINDI = """
क्या है हैं का की के को में से और यह वह कैसे कहाँ कब क्यों कौन
"""
_CHINESE = "什么 怎么 为什 如何 哪里 这个 那个 一个 是什 我们 可以 怎样 多少"

_NAMES_TOO = "get go if let make not or own use while"

STOP_WORDS = {
    "en": frozenset(_ENGLISH.split()),
    "de": frozenset(_GERMAN.split()),
    "fr": frozenset(_FRENCH.split()),
    "es": frozenset(_SPANISH.split()),
    "ru": frozenset(_RUSSIAN.split()),
    "hi": frozenset(_HINDI.split()),
}
"""The stop words of each language."""

STOP_BIGRAMS = frozenset(_CHINESE.split())
"""Pairs of Chinese characters that ask."""

NAMES_TOO = frozenset(_NAMES_TOO.split())
"""Stop words that name something as well: a question of nothing else asks about these."""

_FAINT_WORDS = """
able actually answer best certain common context currently difference different example exist first
following help important instance issue kind main name new option possible purpose question reason
recommend role several sort specific specify term type various want work
"""

FAINT_WORDS = _FAINT_WORDS.strip()
"""Words that ask more than they name."""


def language_of(words: list[str]) -> str:
    """Return the language whose stop words these are, English where that is open.

    One word is not enough to tell by in the same alphabet: "comment" is a word of both.
    """
    found = {name: sum(word in stops for word in words) for name, stops in STOP_WORDS.items()}
    best = max(found, key=lambda name: found[name])
    return best if found[best] > 1 or best in ("ru", "hi") else "en"
