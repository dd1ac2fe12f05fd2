"""Synonyms of the trade: other words that documents use for a word of a question.

The lane of words searches them with a low weight, so that they break ties and find pages that have
only the other word. They are never quoted, and never count as words of the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tether.text.stems import Stems

LONGEST = 2
"""Words of the longest entry."""

_GROUPS = """
    delete, remove, rm
    directory, folder, dir
    environment variable, env var, envvar
    configuration, config, conf
    repository, repo
    login, log in, sign in
    logout, log out, sign out
    kubernetes, k8s
    database, db
    authentication, auth
    documentation, docs
    administrator, admin
    application, app
    argument, arg, parameter, param
    maximum, max
    minimum, min
    javascript, js
    typescript, ts
    postgresql, postgres
    certificate, cert
    development, dev
    production, prod
    statistics, stats
    temporary, temp, tmp
    synchronize, sync
    disable, turn off, switch off
    enable, turn on, switch on
    hostname, host name
    filename, file name
    username, user name
    password, passwd
    specification, spec
    reference, ref
    package, pkg
    operating system, os
    virtual machine, vm
    command line, cli
    two-factor, 2fa, mfa
    single sign-on, sso
    regular expression, regex
    upgrade, update
    rename, change name
    copy, cp
    move, mv
    memory, ram
"""


def related(words: Sequence[str]) -> list[str]:
    """Return the other words for the words of an English question, each once."""
    stems, table = [_stem(word) for word in words], _table()
    found = dict[str, None]()
    for start in range(len(stems)):
        for length in range(1, LONGEST + 1):
            found |= dict.fromkeys(table.get(tuple(stems[start : start + length]), ()))
    return list(found)


@cache
def _table() -> dict[tuple[str, ...], tuple[str, ...]]:
    """The other members of the group of each entry, by the stems of its words."""
    groups = [[it.strip() for it in line.split(",")] for line in _GROUPS.strip().splitlines()]
    return {
        tuple(map(_stem, member.split())): tuple(it for it in group if it != member)
        for group in groups
        for member in group
    }


def _stem(word: str) -> str:
    return Stems().stem(word.casefold(), "en")
