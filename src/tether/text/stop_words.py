"""The stop words of each language: frequent words that say little about the subject of a text."""

# ruff: noqa: RUF001 - the words are meant to be in their own alphabets

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

_FREQUENT = {
    "ar": "في من على إلى عن أن هذا هذه التي الذي مع كان لا ما أو هو هي ثم كل بعد قد",
    "ca": "el la els les de i en que per un una amb és no del dels al com més aquest aquesta són",
    "cs": "a v se na je že s z do to i o pro ve jako po jsou by není nebo který které být jsem",
    "da": "og i at er en den til på det af som med for ikke de har et fra kan hvor hvordan jeg "
    "bliver blev efter hvad dig mellem være",
    "de": "der die das und ist in zu den mit von für auf ein eine einen nicht sich des dem im wie "
    "wird werden ich sie es als auch oder kann bei aus nach wenn was wo",
    "el": "και το να του η της με που την από για είναι στο τα δεν οι τον ένα",
    "en": "the of and to in is that it for as was with be by on not this are or from at which an "
    "have has you can if when how what do does i we my your will a why where there",
    "es": "de la que el en y los se del las un por con no una para su al lo como más es cómo qué "
    "puedo si cuando está son este esta",
    "et": "ja on ei see et kui oli ta ka mis ning kas või seda oma aga nagu mida kuidas",
    "eu": "eta da ez bat du ere dira baina izan zen nola dute hau egin",
    "fi": "ja on ei se että oli hän mutta ovat kun joka niin kuin tai voi miten mitä myös olla",
    "fr": "de la le les et des en un une du que est pour dans qui par sur au il ne pas plus avec "
    "ce sont comment je vous ou cette aux quel quelle",
    "ga": "an na agus ar is ag go le bhí sé mar nach ach tá atá sin leis chun conas",
    "hi": "के का की में है को से और पर ने हैं यह एक भी कि नहीं लिए तो कैसे क्या",
    "hu": "a az és hogy nem is egy ez meg van ki de csak mint vagy már volt hogyan kell lehet",
    "hy": "և է որ են այս մի ու իր նա եմ ինչ համար",
    "id": "yang dan di dari ini itu untuk dengan pada adalah tidak dalam akan ke bagaimana saya "
    "atau oleh dapat bisa cara",
    "it": "di e il la che in un per è una non del con si le da della sono i come alla al dei nel "
    "più gli cosa questo questa posso anche",
    "lt": "ir yra kad į su iš tai ne ar kaip buvo bet per jo nuo apie taip",
    "ne": "र को मा छ लाई यो हो पनि गर्न छन् एक भने कसरी गरी",
    "nl": "de en van het een in is dat op te zijn met voor niet aan er om ook als dan bij of "
    "hoe kan ik wordt naar wat deze maar uit",
    "no": "og i det er på som en til å av for at med ikke den har om et fra kan hvordan jeg eller "
    "blir ble etter hva deg mellom være",
    "pl": "i w na z do się nie jest że to jak o co po dla od są czy przez który może ale lub być",
    "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao "
    "é são está você posso quando ou",
    "ro": "și de în la a pe cu care nu o din este un pentru se că sunt mai cum prin sau fi ce",
    "ru": "и в не на что с по как это он к из для у же от за то но так или если при может я",
    "sr": "и је у да се на за од са су не као што који како или бити може",
    "sv": "och i att det som en på är av för med till den har inte om ett men var hur jag kan "
    "eller från",
    "ta": "ஒரு என்று மற்றும் இந்த அது என்ன எப்படி உள்ள",
    "tr": "ve bir bu için ile da de olarak daha çok ne gibi en nasıl mi olan var ama veya değil",
}
"""The most frequent ones, by ISO 639-1 code: enough to tell the language by. The language of a
passage decides its stems in an index, so a change here changes indexes."""

_FURTHER = {
    "de": "einem einer eines aber sind war waren wurde wurden hat haben hatte können muss soll wer "
    "wann warum welche welcher welches wieviel viele du er wir ihr man mich mir nur noch "
    "schon vom zum zur an am dass um",
    "en": "about above after again all also although am any because been before being below "
    "between both but could did doing done down during each either else etc ever every few further "
    "get gets give given go goes had having he her here hers him his however into isn its "
    "itself just like ll let make makes many may me might more most much must need needs no "
    "nor now off often once one only other our ours out over own please re really s same "
    "shall she should so some such t than their theirs them then these they thing things "
    "those though through thus together too under until up upon us use used uses using ve "
    "very way well were whats whether while who whom whose within without would yes yet yours "
    "don doesn didn won tell explain describe mean means called known happen happens aren "
    "couldn d hasn haven m shouldn wasn weren wouldn",
    "es": "unos unas o era ser quién cuál cuándo dónde sus",
    "fr": "l d mais était être a ont avoir peut quoi quels quelles pourquoi quand où combien tu "
    "elle on nous ils elles cet ces son sa ses leur sans se y c j n qu s",
    "hi": "वह कहाँ कब क्यों कौन",
    "ru": "во со а все она они его да ты вы бы ее мне был была было были о об где кто когда почему "
    "зачем сколько такое чем какой какая",
}
"""The others: a search still looks for them, and a comparison of sentences leaves them out."""

STOP_WORDS: Mapping[str, frozenset[str]] = {
    code: frozenset(f"{words} {_FURTHER.get(code, '')}".casefold().split())
    for code, words in _FREQUENT.items()
}
"""All stop words of each language, casefolded."""

_ASKING = "什么 怎么 为什 如何 哪里 这个 那个 一个 是什 我们 可以 怎样 多少"
STOP_BIGRAMS = frozenset(_ASKING.split())
"""Pairs of Chinese characters that ask."""

NAMES_TOO = frozenset(("get", "go", "if", "let", "make", "not", "or", "own", "use", "while"))
"""Stop words that are names as well: a question of nothing else asks about these."""

FAINT_WORDS = (
    "able actually answer best certain common context currently difference different example exist "
    "first following help important instance issue kind main name new option possible purpose "
    "question reason recommend role several sort specific specify term type various want work"
)
"""Words that ask more than they name."""


class StopWords:
    """The most frequent stop words of each language, by ISO 639-1 code."""

    def __init__(self) -> None:
        self._words = {code: frozenset(text.split()) for code, text in _FREQUENT.items()}
        self._folded = {
            code: frozenset(text.casefold().split()) for code, text in _FREQUENT.items()
        }

    @property
    def by_language(self) -> Mapping[str, frozenset[str]]:
        """The words of each language, in small letters."""
        return self._words

    def telling(self, words: Sequence[str], languages: Iterable[str]) -> Sequence[str]:
        """Return the words of a question without these stop words, or all where none is left.

        A word in capitals stays (`IT`, `CAN`). Passages are indexed whole; on the tuning questions
        the stop words of a question mislead more than they help, and they are slow to look up.
        """
        stops = frozenset[str]().union(*(self._folded.get(code, ()) for code in languages))
        kept = [
            word
            for word in words
            if word.casefold() not in stops or (len(word) > 1 and word.isupper())
        ]
        return kept or words
