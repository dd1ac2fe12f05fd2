"""The detector names a language where it is clear, and "" where it is not."""

# ruff: noqa: RUF001 - the samples are in their own alphabets

from __future__ import annotations

import pytest
import Stemmer

from tether.text.language import LanguageDetector
from tether.text.stems import ALGORITHMS, known_language
from tether.text.stop_words import StopWords

SAMPLES = {
    "ca": "La configuració del servidor és un fitxer que els usuaris poden editar amb les eines.",
    "cs": "Server je v síti a není to jediný stroj, který se spustí po startu, nebo po chybě.",
    "da": "Serveren blev ikke startet af brugeren, og efter en fejl bliver den stoppet.",
    "de": "Der Server wird nicht gestartet, wenn die Datei mit den Werten für das Netz fehlt.",
    "el": "Ο διακομιστής είναι στο δίκτυο και δεν μπορεί να ξεκινήσει από το αρχείο της ρύθμισης.",
    "en": "The server is not started when the file with the values for the network is missing.",
    "es": "El servidor no se inicia cuando falta el archivo con los valores para la red.",
    "fi": "Palvelin ei ole käynnissä, kun tiedosto on poissa, mutta se voi olla myös levyllä.",
    "fr": "Le serveur ne démarre pas dans le réseau, car le fichier des valeurs est perdu.",
    "hu": "A szerver nem indul el, ha a fájl hiányzik, és ez egy hiba, hogy nem van meg.",
    "id": "Server ini tidak dapat dimulai dengan berkas yang hilang dari jaringan untuk pengguna.",
    "it": "Il server non parte quando manca il file con i valori per la rete che si usa.",
    "nl": "De server wordt niet gestart als het bestand met de waarden voor het net er niet is.",
    "pl": "Serwer nie jest w sieci i nie może się uruchomić, jak to plik, który jest na dysku.",
    "pt": "O servidor não é iniciado quando falta o arquivo com os valores para uma rede.",
    "ro": "Serverul nu este pornit și nu se poate, pentru că fișierul cu valori este gol.",
    "ru": "Сервер не запускается, если файл с настройками для сети не найден на диске.",
    "sv": "Servern är inte startad när filen med värden för nätet saknas, och det är ett fel.",
    "tr": "Bu sunucu için bir dosya var ve ağ ile olarak daha çok ayar gibi değil.",
}


@pytest.mark.parametrize("language", SAMPLES)
def test_a_sentence_tells_its_language(language: str) -> None:
    assert LanguageDetector().language(SAMPLES[language].split()) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kubectl get pods",
        "x = load(y) + 1",
        "Kubernetes",
        "東京都 の 天気",
        "tr td em 200 em td td a href a td tr " * 10,
        "kubectl get pods o json grep v null sed s a b",
    ],
    ids=["nothing", "command", "code", "name", "japanese", "tags", "letters"],
)
def test_what_is_not_clear_has_no_language(text: str) -> None:
    assert LanguageDetector().language(text.split()) == ""


def test_two_languages_at_once_are_not_clear() -> None:
    words = ["the", "of", "and", "is", "it", "der", "die", "und", "ist", "nicht"]
    assert LanguageDetector().language(words) == ""


@pytest.mark.parametrize(
    ("declared", "code"),
    [("en", "en"), ("EN-us", "en"), ("pt_BR", "pt"), ("nn", "no"), ("zh", ""), ("", ""), ("?", "")],
)
def test_declared_languages_are_known_by_their_code(declared: str, code: str) -> None:
    assert known_language(declared) == code


def test_every_language_has_a_stemmer() -> None:
    assert set(ALGORITHMS.values()) <= set(Stemmer.algorithms())
    assert StopWords().by_language.keys() <= ALGORITHMS.keys()
