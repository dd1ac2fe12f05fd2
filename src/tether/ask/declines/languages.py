"""The commonest forms of declines in German, French and Spanish."""

from __future__ import annotations

from tether.ask.declines.forms import Forms

GERMAN = Forms(
    lines=r"""
{the}{ours}\b.*\b(?:beantwort|erwähn|sag|nenn|beschreib|erklär|behandel|steh|find)\w*\b.*{none}
{the}{ours}\b.*{none}.*\b{said}\b
\benthalten die {given}{ours} (?:keine|nichts)\b
\b(?:keine|nichts)\b.* (?:in|aus) (?:den|der|dem|diesen|dieser) {given}{ours}$
\b(?:ich (?:weiss|konnte?|kann|habe|finde)|(?:konnte?|kann|habe|finde) ich)\b.*{none}
^(?:das|dies|es|dazu|darüber) (?:ist|wird|geht|bleibt)\b.*\b(?:nicht {said}|unklar|offen)$
^(?:dazu|darüber) (?:steht|gibt es)\b.*{none}
^es gibt (?:dazu )?keine (?:angaben?|informationen?|hinweise?|antwort|auskunft)\b
^keine?[rs]? (?:der |dieser )?{ours} (?:erwähn|sag|nenn|beschreib|erklär|beantwort)\w*
^die frage (?:kann|lässt sich|wird|bleibt)\b.*\b(?:nicht|unbeantwortet)\b
^(?:keine (?:angaben?|informationen?|antwort)|unbekannt)(?: (?:dazu|vorhanden|gefunden))?$
""",
    parts={
        "ours": "passagen?|auszüge?n?|abschnitte?n?|dokumentation(?:en)?|dokumente?n?|texte?n?"
        "|quellen?|unterlagen|textstellen?|seiten|kontext|materials?|textpassagen|ausschnitte?n?",
        "given": r"(?:\w+en |mir )*",
        "the": r"\b(?:die|der|das|diese[rsnm]?|den|dem|in|aus|im) {given}",
        "none": r"\b(?:nicht|nichts|keine?[nrms]?)\b",
        "said": r"beantwort\w*|erwähnt|gesagt|genannt|beschrieben|erklärt|behandelt|hervor"
        "|enthalten|finden|gefunden|entnehmen|ersichtlich|angegeben|erläutert|auskunft|angaben|bekannt"
        "|klar|informationen",
    },
    tokens={},
    denies="nicht|nichts|keine?[nrms]?|unklar|offen|unbekannt|unbeantwortet",
    conditions="wenn|falls|sobald|wird|solange|ist|sind",
)

FRENCH = Forms(
    lines=r"""
\b{the} {ours} n(?:e |')(?:\w+ ){0,2}?(?:{say}|contien|fourni|donn|couvr)\w*\b.*{none}
\b(?:aucune?|rien)\b.*\b(?:dans|de) {the} {ours}
^aucune? (?:des )?{ours} ne (?:{say}|contien)\w*
\bn(?:e |')(?:est|sont|figure|apparaît|se trouve)\w* {none}.*\b(?:dans|par|de) {the} {ours}
\bje (?:ne |n')(?:sais|peux|trouve|ai|suis|vois|dispose|parviens)\b.*{none}
^(?:ce|cela|ceci|il) (?:n'est|n'a) pas (?:été )?{said}\b
^(?:ce|cela|ceci|il) n'est pas (?:clair|possible de (?:répondre|dire|savoir))\b
^il n'y a (?:pas d'|pas de |aucune? ){info}(?: (?:sur|à|concernant|disponible|au sujet)|$){nowhere}
^cette information n'est pas (?:disponible|fournie|donnée|{said}e)$
\b(?:on ne peut pas|impossible de) (?:répondre|dire|savoir|déterminer)\b
^aucune {info}(?: (?:trouvée|disponible|à ce sujet))*$
""",
    parts={
        "ours": "(?:passages?|extraits?|documentation|documents?|textes?|sources?|pages|contexte)"
        "(?: (?:fournie?s?|donnée?s?|ci-dessus|disponibles?|présente?s?|suivante?s?))*",
        "the": "le|la|les|ces?|cette|des",
        "say": "répond|mentionn|dis|dit|précis|indiqu|parl|expliqu|décri|abord|évoqu|trait|spécifi",
        "said": "précisé|mentionné|indiqué|spécifié|dit|expliqué",
        "none": r"\b(?:pas|rien|aucune?|guère|nulle part)\b",
        "info": "(?:information|réponse|mention|indication|détail)s?",
        "nowhere": r"(?!.*\bdans\b)",
    },
    tokens={},
    denies="pas|rien|aucune?|impossible|guère|nulle part",
    conditions="si|lorsque|quand|tant que",
)

SPANISH = Forms(
    lines=r"""
\b{the} {ours} no (?:\w+ )?(?:{say}|contien|proporcion|tien|trat|cubr|ofrec|incluy|dan?\b)\w*
^(?:nada|ninguno?a?|ningún)\b.*\b(?:en|de) {the} {ours}\b.*\b{say}\w*
^ning(?:ún|uno|una)(?: de los| de las)? {ours} (?:{say}|contien)\w*
\bno se (?:{say}|encuentr)\w*\b.*\b(?:en|por) {the} {ours}
\bno (?:está|figura|aparece|hay)\b.*\b(?:en|por) {the} {ours}
^no (?:lo )?(?:sé|puedo|encontré|encuentro|pude|tengo|dispongo|he|veo)\b
\bno (?:puedo|pude|encontré|encuentro) (?:encontrar|responder|determinar|decir|nada)\b
^(?:eso|esto|ello) no (?:se|está) (?:{say}\w*|claro)(?: aquí)?$
^no hay {info}$
^no hay {info} (?:sobre|acerca|al respecto|disponible|de)\b(?!.*\ben\b)
^(?:esa|esta|la) información no (?:está|se) (?:disponible|incluid|proporcion|mencion)\w*$
""",
    parts={
        "ours": "(?:pasajes?|fragmentos?|extractos?|documentación|documentos?|textos?|fuentes?"
        "|páginas|contexto)"
        "(?: (?:proporcionad[oa]s?|dad[oa]s?|anterior(?:es)?|disponibles?|recuperad[oa]s?))*",
        "the": "el|la|los|las|estos?|estas?|este",
        "say": "respond|mencion|dic|especific|indic|habl|explic|describ|abord|aclar",
        "info": "información|datos|respuesta|mención|detalles|nada",
    },
    tokens={},
    denies="no|nada|ninguno?a?|ningún",
    conditions="si|cuando|mientras",
)
