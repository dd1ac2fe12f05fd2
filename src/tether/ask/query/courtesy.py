"""Courtesies: greetings, thanks and goodbyes, which ask nothing and need no search."""

from __future__ import annotations

import re

LONGEST = 80
"""Characters of the longest courtesy."""

_PHRASES = r"""
    hi|hiya|hey|heya|hello|howdy|yo|greetings|good\ (?:morning|afternoon|evening|day|night)|gm
    |hallo|moin|servus|guten\ (?:morgen|tag|abend)|bonjour|salut|bonsoir|hola|buen(?:os|as)\ \w+
    |ciao|ol[aá]
    |thanks?|thank\ (?:you|u)|thankyou|thx|thnx|tnx|tysm|ty|cheers|much\ appreciated|appreciated
    |(?:i\ )?appreciate\ (?:it|that)|danke(?:\ (?:sch[oö]n|dir|ihnen))?|vielen\ dank|merci
    |(?:muchas\ )?gracias|grazie|obrigad[oa]
    |bye(?:[\ -]bye)?|good[\ -]?bye|cya|see\ (?:you|ya)|farewell|take\ care|have\ a\ (?:nice|good
    |great)\ (?:day|one|weekend|evening)|tsch[uü]ss|auf\ wiedersehen|au\ revoir|adi[oó]s
    |how\ are\ you(?:\ (?:doing|today))?|nice\ to\ meet\ you
    |you(?:['\u2019]re|\ are)\ (?:welcome|great|awesome|the\ best)
    |that(?:['\u2019]s|\ is|\ was)?\ (?:all|it|helped|helps|great|perfect|helpful|very\ helpful)
    |(?:very|super|really)\ helpful|(?:it|this)\ (?:worked|works|helped)|no\ problem|no\ worries
"""

_LEADS = r"ok(?:ay)?|great|cool|nice|perfect|awesome|super|good|excellent|brilliant|wow|alright|oh"

_TAILS = r"""
    there|again|all|everyone|everybody|folks|team|guys|bot|tether|friend|mate|sir|buddy|man|dear
    |(?:so|very)\ much|a\ (?:lot|bunch|million)|later|soon|tomorrow|now|for\ now|then|in\ advance
    |for\ (?:(?:all\ )?(?:your|the|that|this|all)\ (?:quick\ )?)?(?:help|answers?|repl(?:y|ies)
    |info|information|explanation|time|support|everything|now)
    |merci|beaucoup|vielmals
"""

_COURTESY = re.compile(
    rf"\W*(?:(?:{_LEADS})\b\W*)*(?:(?:{_PHRASES})\b\W*)(?:(?:{_PHRASES}|{_TAILS}|{_LEADS})\b\W*)*",
    re.IGNORECASE | re.VERBOSE,
)


def asks_nothing(text: str) -> bool:
    """Say whether a text is a greeting, thanks or a goodbye and nothing else.

    "Hi, how do I …" is a question, and so is a single word that names anything else.
    """
    said = " ".join(text.split())
    return len(said) <= LONGEST and _COURTESY.fullmatch(said) is not None
