"""The distributions: built from this tree, installed by pip, uv and pipx, and asked a question.

Third-party packages come from the package index. Without one these tests are skipped, except in CI.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from fcntl import LOCK_EX, flock
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

import pytest

import tether

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {
    "tether-kit": ROOT,
    "tether": ROOT / "distributions" / "tether",
    "tether-models": ROOT / "distributions" / "models",
    "tether-verifier": ROOT / "distributions" / "verifier",
}
LARGEST = 100
"""In megabytes. Package indexes refuse larger files, unless they are asked for more."""

KIT_PACKAGES = 6
BIN = Path(sys.executable).parent
QUESTION = "How long are backups kept?"
QUOTE = "Backups are kept for thirty days."
PAGE = f"# Backups\n\n{QUOTE} A backup is made every night.\n"


def clean(**more: str | Path) -> dict[str, str]:
    """Return the environment without what would tell a new process of this checkout."""
    ours = ("COVERAGE", "PYTEST", "PYTHON", "VIRTUAL_ENV", "TETHER_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {name: str(value) for name, value in more.items()}


def done(*words: str | Path, cwd: Path, env: dict[str, str] | None = None, code: int = 0) -> str:
    """Run a command and return all that it wrote; it has to end with that code."""
    ran = subprocess.run(
        [*map(str, words)],
        cwd=cwd,
        env=env or clean(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == code, f"{words}: {ran.stdout}"
    return ran.stdout


def need_index(*words: str | Path, env: dict[str, str] | None = None) -> None:
    """Skip the test if an installer finds nothing on its index; in CI it has to."""
    looked = subprocess.run(
        [*map(str, words), "--dry-run", "--no-deps", "typing-extensions"],
        env=env or clean(),
        capture_output=True,
        text=True,
        check=False,
    )
    if looked.returncode and "CI" not in os.environ:
        pytest.skip(f"no package index can be reached: {looked.stderr.strip()[-200:]}")


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory, worker: str) -> Path:
    """A folder with the wheels of this tree, built once for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if worker else base) / "wheels"
    with folder.with_suffix(".lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not folder.exists():
            made = folder.with_suffix(".made")
            for source in FOLDERS.values():
                done(BIN / "hatchling", "build", "-t", "wheel", "-d", made, cwd=source)
            made.rename(folder)
    return folder


@pytest.fixture(scope="session")
def worker() -> str:
    """The name of the process that runs this test, "" if it is the only one."""
    return os.environ.get("PYTEST_XDIST_WORKER", "")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a page to ask about; what is installed in it is large and is removed."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "docs").mkdir()
        (folder / "docs" / "backups.md").write_text(PAGE)
        yield folder


def wheel_of(wheels: Path, name: str) -> Path:
    (file,) = wheels.glob(f"{name.replace('-', '_')}-{tether.__version__}-py3-none-any.whl")
    return file


def metadata_of(wheels: Path, name: str) -> Message:
    info = f"{name.replace('-', '_')}-{tether.__version__}.dist-info"
    with ZipFile(wheel_of(wheels, name)) as wheel:
        return Parser().parsestr(wheel.read(f"{info}/METADATA").decode())


def packages_of(wheels: Path, name: str) -> set[str]:
    with ZipFile(wheel_of(wheels, name)) as wheel:
        return {entry.partition("/")[0] for entry in wheel.namelist() if ".dist-info" not in entry}


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def test_each_distribution_brings_what_no_other_does(wheels: Path) -> None:
    assert {name: packages_of(wheels, name) for name in FOLDERS} == {
        "tether-kit": {"tether"},
        "tether": set(),
        "tether-models": {"tether_models"},
        "tether-verifier": {"tether_verifier"},
    }


@pytest.mark.parametrize("name", FOLDERS)
def test_a_wheel_is_small_enough_and_carries_its_licence(wheels: Path, name: str) -> None:
    size = wheel_of(wheels, name).stat().st_size / 1e6
    page = (ROOT / "docs" / "installation.md").read_text("utf-8")
    stated = re.search(rf"^\| `{name}` \| .* \| (\d+) (k|M)B \|$", page, re.MULTILINE)
    assert stated is not None
    assert size == pytest.approx(int(stated[1]) / (1000 if stated[2] == "k" else 1), rel=0.2)
    assert size < LARGEST
    licences = f"{name.replace('-', '_')}-{tether.__version__}.dist-info/licenses"
    with ZipFile(wheel_of(wheels, name)) as wheel:
        for file in ("LICENSE", "NOTICE"):
            assert wheel.read(f"{licences}/{file}") == (ROOT / file).read_bytes()
    metadata = metadata_of(wheels, name)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Version"] == tether.__version__
    assert metadata.get_all("Project-URL")


def test_every_model_is_in_one_wheel_and_none_in_the_kit(wheels: Path) -> None:
    def models(name: str) -> list[str]:
        with ZipFile(wheel_of(wheels, name)) as wheel:
            return [Path(entry).name for entry in wheel.namelist() if entry.endswith(".onnx")]

    in_tree = sorted(path.name for path in (ROOT / "src").rglob("*.onnx"))
    assert models("tether-kit") == []
    assert sorted(model for name in FOLDERS for model in models(name)) == in_tree


def test_every_extra_brings_something_and_is_one_of_both(wheels: Path) -> None:
    extras = project()["optional-dependencies"]
    assert all(extras.values())
    for name in ("tether", "tether-kit"):
        assert set(metadata_of(wheels, name).get_all("Provides-Extra", [])) == set(extras)
    version = tether.__version__
    needed = metadata_of(wheels, "tether").get_all("Requires-Dist", [])
    assert f"tether-kit[local]=={version}; extra == 'local'" in needed
    parts = set(re.findall(r"\w+", extras["all"][0].partition("[")[2]))
    assert parts == set(extras) - {"all"}


def test_the_kit_runs_on_six_packages_and_says_what_else_to_install(
    wheels: Path, place: Path
) -> None:
    uv = (BIN / "uv", "pip", "install", "-p", place / "kit")
    env = clean(UV_CACHE_DIR=place / "cache")
    done(BIN / "uv", "venv", "-p", sys.executable, place / "kit", cwd=place)
    need_index(*uv, env=env)
    done(*uv, "--find-links", wheels, "tether-kit", cwd=place, env=env)
    listed = done(BIN / "uv", "pip", "freeze", "-p", place / "kit", cwd=place).splitlines()
    assert len([line for line in listed if "==" in line and "tether" not in line]) == KIT_PACKAGES
    command = place / "kit" / "bin" / "tether"
    assert done(command, "--version", cwd=place) == f"tether, version {tether.__version__}\n"
    assert "pip install tether" in done(command, "ask", QUESTION, cwd=place, code=1)
    done(*uv, "--find-links", wheels, "tether-kit[ask]", cwd=place, env=env)
    refused = done(command, "ask", "--docs", ".", QUESTION, cwd=place / "docs", code=1)
    assert "comes with tether-models, which is not installed: pip install tether" in refused


def test_pip_installs_a_command_that_answers(wheels: Path, place: Path) -> None:
    venv.create(place / "env", symlinks=True)
    pip = (BIN / "pip", "--python", place / "env" / "bin" / "python")
    need_index(*pip, "install")
    done(*pip, "install", "--no-compile", "--find-links", wheels, "tether", cwd=place)
    command = place / "env" / "bin" / "tether"
    assert done(command, "--version", cwd=place) == f"tether, version {tether.__version__}\n"
    assert QUOTE in done(command, "ask", "--docs", ".", QUESTION, cwd=place / "docs")
    assert "No broken requirements found" in done(*pip, "check", cwd=place)


def test_uvx_and_pipx_run_it_without_installing_it_first(wheels: Path, place: Path) -> None:
    places = {name: place / name for name in ("UV_CACHE_DIR", "PIPX_HOME", "PIPX_BIN_DIR")}
    env = clean(**places, PIPX_DEFAULT_BACKEND="uv", UV_PYTHON=sys.executable)
    done(BIN / "uv", "venv", "-p", sys.executable, place / "probe", cwd=place)
    need_index(BIN / "uv", "pip", "install", "-p", place / "probe", env=env)
    asked = ("tether", "ask", "--docs", ".", QUESTION)
    uvx = (BIN / "uvx", "--find-links", wheels)
    assert QUOTE in done(*uvx, *asked, cwd=place / "docs", env=env)
    from_here = ("--pip-args", f"--find-links {wheels}")
    pipx = (BIN / "pipx", "run", *from_here)
    assert tether.__version__ in done(*pipx, "tether", "--version", cwd=place, env=env)
    done(BIN / "pipx", "install", *from_here, "tether", cwd=place, env=env)
    command = place / "PIPX_BIN_DIR" / "tether"
    assert QUOTE in done(command, *asked[1:], cwd=place / "docs", env=env)
