"""Which names are read and which are not, decided before anything is opened."""

from __future__ import annotations

import re
from fnmatch import translate

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
"""Endings of prose: a page about credentials is no file of credentials."""

PLAIN_NAMES = frozenset(
    {"readme", "changelog", "changes", "news", "history", "contributing", "faq"}
)
"""Files without an ending that are text by habit, in lower case."""

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
"""What tools write beside the file that configures them. Elsewhere `build` is a word for a page."""


_SECRET = re.compile("|".join(map(translate, SECRETS)))
_SECRET_UNLESS_PAGE = re.compile("|".join(map(translate, SECRETS_UNLESS_PAGES)))


def ending_of(name: str) -> str:
    """Return a name's ending with its dot, in lower case; "" for none, and for `.hidden`."""
    stem, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot and stem else ""


def is_secret(name: str) -> bool:
    """Say whether files of this name usually hold what nobody may be shown."""
    lowered = name.lower()
    if _SECRET.match(lowered):
        return True
    return _SECRET_UNLESS_PAGE.match(lowered) is not None and ending_of(lowered) not in PAGES


def why_not_this_file(name: str, endings: frozenset[str]) -> str:
    """Return why a file is left out by its name's ending, "" where it is to be read."""
    ending = ending_of(name)
    if ending in endings or name.lower() in PLAIN_NAMES:
        return ""
    if ending in ARCHIVES:
        return "it is an archive, which is never opened; unpack it first"
    if ending in MEDIA:
        return "pictures, sound, film and fonts are not read"
    if ending in BINARIES:
        return "it is not text"
    return f"no reader takes the ending {ending}" if ending else "it has no ending"


def is_archive(name: str) -> bool:
    """Say whether a name is one of an archive."""
    return ending_of(name) in ARCHIVES


def why_not_this_folder(name: str, beside: frozenset[str]) -> str:
    """Return why a folder is left out by habit, given the names beside it; "" where it is not."""
    if name.startswith("."):
        return "it is hidden"
    if name in _SKIPPED_FOLDERS or name.endswith(".egg-info"):
        return "it holds what a tool put there"
    maker = next((file for file, made in _OUTPUTS.items() if name in made and file in beside), None)
    return f"it is what a build writes beside {maker}" if maker else ""
