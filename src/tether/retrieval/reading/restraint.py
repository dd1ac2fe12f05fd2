"""What a reading process denies itself before it opens a file from outside."""

from __future__ import annotations

import math
import resource
import signal

from tether.retrieval.reading.limits import ReadLimits

_MEGABYTE = 1_048_576


def restrain(limits: ReadLimits) -> None:
    """Bound the memory of this process, and let it write no file and leave no core behind.

    Only the soft limits are set, which suffices against files that make a parser go astray.
    """
    limit_softly(resource.RLIMIT_AS, limits.megabytes * _MEGABYTE)
    limit_softly(resource.RLIMIT_FSIZE, 0)
    limit_softly(resource.RLIMIT_CORE, 0)


def start_clock(seconds: float) -> None:
    """Let the system end this process when the time is up, whatever code is running then.

    A signal that nobody handles ends a process even inside a parser written in C. The limit on
    processor time catches what the clock misses: threads, and a clock that was stopped.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit_softly(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + seconds) + 1)


def stop_clock() -> None:
    """Call off what `start_clock` began; the limit on processor time is set anew each time."""
    signal.setitimer(signal.ITIMER_REAL, 0.0)


def limit_softly(kind: int, value: int) -> None:
    """Set what a process may use of one thing, or as much as the system allows."""
    _, hard = resource.getrlimit(kind)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (allowed, hard))
