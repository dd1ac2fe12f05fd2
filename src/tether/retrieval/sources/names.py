"""File names: the ones that are read, decided before a file is opened, and the keys they become."""

from __future__ import annotations

import re
import unicodedata
from fnmatch import translate

from tether.retrieval.readers.man_looks import SECTIONS, man_section

ARCHIVES = frozenset(
    (
        *(".7z", ".ar", ".bz2", ".cab", ".cpio", ".deb", ".dmg", ".ear", ".gz", ".iso"),
        *(".jar", ".lz", ".lz4", ".lzma", ".rar", ".rpm", ".tar", ".tbz", ".tbz2", ".tgz"),
        *(".txz", ".war", ".whl", ".xz", ".z", ".zip", ".zipx", ".zst", ".crate", ".egg"),
        *(".gem", ".nupkg", ".apk"),
    )
)

MEDIA = frozenset(
    (
        *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".ico", ".icns"),
        *(".tif", ".tiff", ".svg", ".psd", ".ai", ".eps", ".heic", ".mp3", ".mp4", ".m4a"),
        *(".m4v", ".mov", ".avi", ".mkv", ".webm", ".wav", ".ogg", ".flac", ".ttf", ".otf"),
        *(".woff", ".woff2", ".eot"),
    )
)

BINARIES = frozenset(
    (
        *(".a", ".bin", ".class", ".com", ".dat", ".db", ".dll", ".dylib", ".exe", ".gguf"),
        *(".joblib", ".lib", ".mo", ".msi", ".npy", ".npz", ".o", ".obj", ".onnx"),
        *(".parquet", ".pickle", ".pkl", ".pt", ".pth", ".pyc", ".pyd", ".pyo", ".rlib"),
        *(".safetensors", ".so", ".sqlite", ".sqlite3", ".wasm", ".doc", ".docx", ".ppt"),
        *(".pptx", ".xls", ".xlsx", ".odt", ".ods", ".odp"),
    )
)

PAGES = frozenset(
    (
        *(".md", ".mdx", ".markdown", ".rst", ".html", ".htm", ".xhtml", ".adoc", ".ipynb"),
        ".pdf",
    )
)
"""Endings of prose: a page about credentials does not contain credentials."""

PLAIN_NAMES = frozenset(
    {"readme", "changelog", "changes", "news", "history", "contributing", "faq"}
)
"""Names of text files without an ending, in lower case."""

SECRETS = (
    *(".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass"),
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdb", "*.kdbx"),
    *("*.ppk", "*.gpg", "*.asc", "*.ovpn", "*.tfstate", "*.tfstate.*", "*.tfvars"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".git-credentials", ".htpasswd"),
    *(".dockercfg", ".my.cnf", ".s3cfg", ".boto", "kubeconfig", "*.kubeconfig"),
)
SECRETS_UNLESS_PAGES = (
    *("credentials*", "*.credentials", "secrets", "secrets.*", "secret.*", "client_secret*"),
    *("service-account*", "service_account*", "passwords", "passwords.*", "htpasswd"),
)

_SKIPPED_FOLDERS = frozenset(
    (
        *("node_modules", "bower_components", "jspm_packages", "__pycache__"),
        *("site-packages", "venv", "virtualenv", "_build", "cdk.out", "lost+found"),
    )
)

_OUTPUTS = {
    "package.json": frozenset({"build", "dist", "out", "coverage"}),
    "docusaurus.config.js": frozenset({"build"}),
    "docusaurus.config.ts": frozenset({"build"}),
    "mkdocs.yml": frozenset({"site"}),
    "hugo.toml": frozenset({"public", "resources"}),
    "hugo.yaml": frozenset({"public", "resources"}),
    "pyproject.toml": frozenset({"build", "dist", "htmlcov"}),
    "setup.py": frozenset({"build", "dist", "htmlcov"}),
    "Cargo.toml": frozenset({"target"}),
    "pom.xml": frozenset({"target"}),
    "build.gradle": frozenset({"build"}),
    "build.gradle.kts": frozenset({"build"}),
    "book.toml": frozenset({"book"}),
}
"""Folders that tools write beside their configuration file. Elsewhere `build` may hold pages."""

_SECRET = re.compile("|".join(map(translate, SECRETS)))
_SECRET_UNLESS_PAGE = re.compile("|".join(map(translate, SECRETS_UNLESS_PAGES)))

_JOINERS = "\u200c\u200d"
"""Some scripts need these inside words; they change no direction and break no line."""

_PLAIN = re.compile(r"[\w ./()+,@=~#-]*", re.ASCII)


def ending_of(name: str) -> str:
    """Return the ending of a name with its dot, in lower case; "" without one."""
    stem, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot and stem else ""


def is_secret(name: str) -> bool:
    """Return whether files of this name usually contain secrets."""
    lowered = name.lower()
    if _SECRET.match(lowered):
        return True
    return _SECRET_UNLESS_PAGE.match(lowered) is not None and ending_of(lowered) not in PAGES


def why_not_this_file(name: str, endings: frozenset[str]) -> str:
    """Return why a file is left out because of its ending, "" if it is read."""
    section, ending = man_section(name), ending_of(name)
    is_read = ending in endings and ending not in SECTIONS
    if is_read or section in endings or name.lower() in PLAIN_NAMES:
        return ""
    if ending in ARCHIVES:
        return "it is an archive, which is never opened; unpack it first"
    if ending in MEDIA:
        return "pictures, sound, film and fonts are not read"
    if ending in BINARIES:
        return "it is not text"
    return f"no reader takes the ending {ending}" if ending else "it has no ending"


def is_archive(name: str) -> bool:
    """Return whether a name is that of an archive; a compressed manual page is none."""
    return ending_of(name) in ARCHIVES and not man_section(name)


def why_not_this_folder(name: str, beside: frozenset[str]) -> str:
    """Return why a folder is left out by habit, given the files beside it; "" if it is not."""
    if name.startswith("."):
        return "it is hidden"
    if name in _SKIPPED_FOLDERS or name.endswith(".egg-info"):
        return "a tool put its content there"
    maker = next((file for file, made in _OUTPUTS.items() if name in made and file in beside), None)
    return f"it is the build output of {maker}" if maker else ""


def readable(name: bytes) -> str:
    """Return a name or path as a key that a person can read, and that no other name has.

    A file name is any bytes but NUL and the slash, and a key goes into terminals, prompts and
    databases: so undecodable bytes, control characters and direction marks are escaped, and the
    backslash too.
    """
    text = name.decode("utf-8", "surrogateescape")
    if _PLAIN.fullmatch(text):
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character == "\\":
        return "\\\\"
    if unicodedata.category(character) == "Cs":
        return f"\\x{ord(character) - 0xDC00:02x}"
    if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") and character not in _JOINERS:
        return character.encode("unicode_escape").decode("ascii")
    return character
