"""What a package costs before it does anything: CPU to import it, modules, and packages.

Imports are measured in child processes, isolated from this one's settings (-I), whose CPU time the
system accounts for. Bytecode is compiled before the first sample that counts. The empty interpreter
is measured in the same way, in the same rounds, and is subtracted.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def child_cpu_seconds(code: str) -> float:
    """Run `code` in a fresh interpreter and return the CPU seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-I", "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def modules_after(code: str) -> int:
    """Return how many modules are loaded after `code`, those of the interpreter included."""
    count = f"{code}\nimport sys; print(len(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", count], check=True, capture_output=True, text=True
    )
    return int(done.stdout)


def packages_behind(distribution: str) -> set[str]:
    """Return the other packages that a plain install of this one brings: no extras, this system."""
    found: set[str] = set()
    waiting = [distribution]
    while waiting:
        for name in _requirements(waiting.pop()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found - {canonicalize_name(distribution)}


def _requirements(distribution: str) -> set[str]:
    try:
        listed = requires(distribution) or []
    except PackageNotFoundError:
        return set()
    parsed = [Requirement(text) for text in listed]
    return {
        canonicalize_name(needed.name)
        for needed in parsed
        if needed.marker is None or needed.marker.evaluate({"extra": ""})
    }
