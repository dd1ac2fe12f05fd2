"""Proxies, passwords and certificates from the environment are ignored (case 66)."""

from __future__ import annotations

from pathlib import Path

import pytest
import trustme

from batteries.web.loopback import PUBLIC, Resolver, Spy, reply, serving
from tether.batteries.http.client import certificates
from tether.batteries.web import WebAccess
from tether.core.errors import InputRefused


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving({"/": reply("direct")}) as server, serving({}) as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            for variable in (name, name.upper()):
                monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert (await server.access().fetch(server.url())).text == "direct"
        assert proxy.connections == 0


async def test_passwords_in_a_file_are_not_sent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in (".netrc", "_netrc", "named"):
        (tmp_path / name).write_text("machine 127.0.0.1 login canary password canary\n")
        (tmp_path / name).chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / "named"))
    async with serving({"/": reply()}) as server:
        await server.access().fetch(server.url())
        assert "authorization" not in server.heads[0].lower()


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
async def test_authorities_of_the_environment_are_not_trusted(
    variable: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spy, authority = Spy(monkeypatch), trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv(variable, str(tmp_path / ("authority.pem" if "FILE" in variable else "")))
    certificates.cache_clear()
    certificate = authority.issue_cert("a.example")
    async with serving({"/": reply()}, certificate=certificate) as server:
        spy.lead(PUBLIC, server)
        access = WebAccess(hosts=["a.example"], resolver=Resolver([PUBLIC]))
        with pytest.raises(InputRefused, match=r"certificate of a\.example is not to be trusted"):
            await access.fetch("https://a.example/")
        assert server.heads == []
