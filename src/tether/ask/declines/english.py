"""The forms of declines in English.

The words for what a model was given are of two sorts. "The passages" are its own material nearly
always. "The context" or "the document" may be a thing that the passages are about: before a denial
is a decline, they need a verb of saying, or a word such as "provided".
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tether.ask.declines.forms import Forms

_PARTS: Mapping[str, str] = MappingProxyType(
    {
        "the": "(?:(?:any|all|either|both|some|parts?) of )?"
        "(?:the|these|this|those|your|my|our|all|both)",
        "given": "provided|given|supplied|retrieved|available|above|shown|following|listed|quoted"
        "|relevant|present|shared|attached|cited|official|reference",
        "after": "(?: (?:provided|given|supplied|retrieved|available|above|shown|below|here|at hand"
        "|excerpts?|passages?|snippets?|sections|pages"
        "|i (?:see|have|can see|(?:was|am|have been) (?:given|shown))"
        "|(?:that )?you(?: have)? (?:gave|given|shared|provided|uploaded)(?: me| us| with me)?))?",
        "passages": "passages?|excerpts?|snippets?|documentation|docs|extracts?|text|materials?",
        "pages": "context|documents?|sources?|pages?|texts|articles?|sections?|guides?|manual"
        "|paragraphs?|references?|summary|knowledge base",
        # What a noun without an article follows.
        "alone": r"(?<=^)|(?<=\bno )|(?<=\bneither )|(?<=\bin )|(?<=\bfrom )|(?<=\bof )|(?<=\bby )",
        # What follows a noun that is not the first part of another one, as in "the page title".
        "ends": r"(?=$|[^\w ]| (?:that|which|who|and|or|but|nor|so|as|to|about|on|for|regarding"
        "|either|at all|itself|alone|whether|how|what|is|are|does|do|can|could|i|you|here|if"
        r"|because|since)\b)",
        "within": "(?:anywhere )?"
        "(?:in|from|by|within|among|on|using|with|based on|given|through|according to)",
        "in_ours": "{within} OURS{ends}",
        "in_maybe_ours": "{within} (?:OURS|PAGES){ends}",
        "do_not": r"(?:do|does|did|can|could) not (?:\w+ly |really |even |also |ever |either |yet "
        "|further |seem to |appear to )*",
        "say": "mention|say|state|discuss|describe|explain|address|answer|tell|cover|talk about"
        "|touch on|go into|clarify|elaborate|reveal|refer to|speak|comment|deal with|indicate"
        "|disclose|make (?:clear|(?:any )?(?:mention|reference))",
        "hold": "contain|include|provide|give|offer|have|specify|list|define|show|detail|present"
        "|supply|identify|name|document|hold|relate to|reference|outline|suggest",
        "said": "mentioned|stated|discussed|described|explained|addressed|answered|covered"
        "|specified|clarified|documented|detailed|indicated|given|said|spelled out|made clear",
        "held": "found|available|included|contained|present|provided|listed|defined|shown|clear"
        "|known|named|evident|apparent|identified|there",
        "info": "information|info|mentions?|answers?|references?|details?|indications?"
        "|guidance|explanations?|descriptions?|statements?|specifics|discussion|instructions?"
        "|anything|clues?|hints?|OURS|PAGES",
        "some": "(?:(?:any|the|an?|enough|sufficient|such|this|that|much|exact|precise|specific"
        "|explicit|direct|clear|relevant|further|more|complete|full|definit(?:iv)?e|concrete"
        "|public) )*",
        "asked": r"(?:how|what|which|who|whom|whose|when|where|why|whether|if)\b",
        "on": "about|on|regarding|concerning|as to|related to|relating to",
        "about": "{on}|of|for|to",
        "nowhere": r"(?!.*\b(?:in|from|until|at|unless|inside|within)\b)",
        "clause": r"(?:^|[,;:-] |\b(?:but|that|as|since|because|and|so|however) )",
        "none": "no|none of|neither(?: of)?|nothing (?:in|from|within)",
        "is": "is|are|was|were",
        "opener": "^(?:(?:sorry|unfortunately|however|but|apologies|so|i am (?:sorry|afraid)"
        "|as far as i can (?:see|tell)|it (?:seems|appears))(?: that)?,? (?:but )?)*",
        "there_is": r"\bthere (?:{is}|seems to be|appears to be)",
        "find": "find|found|locate|see|answer|tell|say|determine|identify|know|provide|confirm"
        "|help|give|spot|infer|verify|come across|conclude|respond|make out",
        "tell": "say|tell|determine|answer|know|find|infer|establish"
        r"|(?:give|provide) an? [\w ]*answer",
    }
)

_TOKENS: Mapping[str, str] = MappingProxyType(
    {
        "OURS": r"(?:(?:\b{the} |{alone})(?:{given} )?{passages}|\b{given} {passages}"
        r"|\b(?:the|these|this|those|your|my|our) (?:{given} )+"
        r"(?:[\w-]+ ){0,2}?(?:{passages}|{pages}|information)"
        r"|\b(?:these|those|my|your) {pages}"
        r"|\b(?:the|this) {pages}(?= (?:provided|given|supplied|retrieved|above|at hand))"
        r"){after}\b"
        r"|\bwhat (?:i (?:was given|have|see|know)|(?:is|was) (?:given|provided|shown))\b",
        "PAGES": r"(?:\b{the} (?:[\w-]+ ){0,2}?|{alone}){pages}{after}\b",
    }
)
"""The words that are surely, and those that are maybe, about the model's own material."""

_LINES = r"""
# the passages do not say; the context does not contain information; but it does not say
{clause}(?:OURS|PAGES) {do_not}{say}\b
OURS {do_not}(?:{say}|{hold})\b
(?:OURS|PAGES) {do_not}{hold} (?:us |me )?{some}(?:{info}\b|{asked})
(?:OURS|PAGES) (?:{is} about [\w' ]{1,60} and )?{do_not}(?:relate|answer)\b
^(?:this|that|it|they) {do_not}{say}(?:$| {asked}| {some}{info})
\bbut (?:it |they |this |that )?{do_not}{say}\b
# the passages lack, are silent, say nothing, contain no details, only describe
(?:OURS|PAGES) (?:\w+ly )?(?:(?:lack|omit)s? |fails? to {say}|never {say}|says? (?:nothing|little))
(?:OURS|PAGES) (?:tells? (?:us |me )?nothing|{is} (?:silent|insufficient|not sufficient))\b
(?:OURS|PAGES) (?:leaves? (?:this|it|that|the question|open)|makes? no (?:mention|reference))
OURS {is} (?:irrelevant|unrelated|not (?:enough|relevant|related|about))\b
(?:OURS|PAGES) (?:contain|give|offer|provide|include|has|have|hold)s? (?:no|little) ?{some}{info}
(?:OURS|PAGES) (?:contain|give|offer|provide|include|has|have|hold)s? nothing\b(?:$| {on}| that)
(?:OURS|PAGES) (?:only|merely|solely) {say}s?\b.*\bnot\b
OURS (?:only|merely|solely) (?:{say}|{hold})s?\b
# none of the passages mentions; nothing in the documents explains
{clause}{none} (?:OURS|PAGES) (?:\w+ )?{say}(?:s|es|ed)?\b
{clause}{none} OURS (?:\w+ )?{hold}(?:s|es|ed)?\b
# there is nothing about it in the passages; there is no information
{there_is} (?:no|not any|nothing|not enough|insufficient|little)\b[^,;]{0,160}? ?{in_maybe_ours}
{opener}there {is} (?:no|not any) {some}{info}(?:$| (?:here|available|given|provided|that)\b)
{opener}there {is} (?:no|not any) {some}{info} {about} (?:{asked}|{nowhere})
{opener}there {is} nothing (?:here|{on}\b{nowhere})
(?:\bnot (?:given )?(?:enough|sufficient)|^insufficient|^too little) (?:information|context)\b
\b{is} insufficient (?:information|context)\b
# no information was found; nothing about that is said; none mentioned
^no {some}{info}\b[^,;]{0,120}? (?:{is}|can be|could be|has been) (?:{said}|{held})(?:$| here)
^no {some}{info}\b[^,;]{0,120}? (?:{is}|can be|could be) (?:{said}|{held}) {in_maybe_ours}
^no {some}{info}(?: (?:{held}|{said}|here)| {in_maybe_ours}| {about} (?!.*\b{is}\b)[\w ]{1,60})?$
^no {some}{pages}(?: (?:{held}|{said}))?$
^(?:the )?(?:answer|information|details?) not (?:{said}|{held})(?: (?:here|{in_maybe_ours}))?$
^nothing {about} [^,;]{1,120} {is} (?:{said}|{held}|written)\b
^(?:nothing|none) (?:{is} )?(?:{said}|found)\b (?:{about}|here|{in_maybe_ours})
# that is not mentioned in the passages; not specified
\bnot (?:\w+ly )?{said}\b[^,;]{0,80}? ?{in_maybe_ours}
\bnot (?:\w+ly )?(?:to )?(?:be )?(?:{held}|appear|part|in)\b[^,;]{0,80}? ?{in_ours}
\bnot be (?:answered|determined|inferred|derived)\b[^,;]{0,80}? ?{in_ours}
\bnot {in_ours}
^(?:it|this|that|which|{asked}.{1,120}) {is} not (?:\w+ly )?{said}(?: (?:here|{in_maybe_ours}))*$
^[^,;]{1,80} {is} (?:not|never) (?:\w+ly )?(?:mentioned|discussed|addressed|stated)(?: here)?$
^not (?:\w+ly )?(?:{said}|{held})(?: (?:here|anywhere|{in_maybe_ours}))*$
^(?:this|that|the|such) {some}(?:information|details?) {is} not (?:{held}|{said})(?: here)?$
# the question cannot be answered; it is unclear; outside the scope of these passages
\b(?:questions?|problem) (?:can|could) not be answered\b
^(?:(?:this|it|that|the answer) )?(?:can|could) not be (?:answered|determined|found|inferred)$
^(?:(?:this|it|that|the answer) )?(?:can|could) not be (?:answered|determined|found) {in_maybe_ours}
\b(?:not possible|impossible) to {tell}\b(?=(?:.* )?{in_ours}|$)
^{in_ours}.*\b(?:not possible|impossible) to {tell}\b
^(?:it|this|that|the answer) (?:is|remains) (?:unclear|unknown|uncertain|not (?:clear|known))$
^(?:it|this|that) (?:is|remains) (?:unclear|unknown|not (?:clear|known)) (?:{asked}|{in_maybe_ours})
(?:outside|beyond|out of|not within) (?:of )?(?:the )?scope of OURS
\b(?:question|topic|subject) (?:is|falls) (?:outside|beyond|not (?:related|relevant|part))\b
^(?:unknown|n/a|not found|no answer|no idea|not answered|unanswered|unclear|nothing found)$
# I could not find; I do not have enough information; we are not told
\bi (?:can|could|do|did|was|am|would|will|have)(?: \w+ly)? not (?:\w+ly |(?:be )?able to )*{find}\b
\bi am not (?:\w+ly )?(?:sure|certain|aware)\b
\bi (?:do|did) not (?:\w+ly )?have (?:access to )?{some}(?:{info}|evidence|context|real-time)\b
(?:\bi (?:am|was|have been)|^) ?unable to {find}\b
\bi (?:have|found|find|see|saw|know|possess) (?:no|nothing|insufficient|too little)\b
\band (?:found|see|saw|find) (?:no|nothing)\b (?:{some}{info}|{about})
\b(?:i|we) (?:would |will )?(?:need|require) (?:more|further|additional) (?:information|context)\b
\bwe are not (?:told|given|informed)\b
^we (?:can|do|could) not (?:{tell}|provide an answer)$
\bwe (?:can|could) not {tell}\b.*{in_ours}
"""

ENGLISH = Forms(
    lines=_LINES,
    parts=_PARTS,
    tokens=_TOKENS,
    denies="not|no|none|nothing|neither|never|lacks?|omits?|fails?|silent|insufficient|irrelevant"
    "|unrelated|unable|unknown|uncertain|unclear|unanswered|impossible|only|merely|solely|little"
    "|outside|beyond|leaves?|n/a|need|require",
    conditions="if|when|whenever|unless|where|while|until|once|as long as",
)
