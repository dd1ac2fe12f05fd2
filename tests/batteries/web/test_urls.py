from __future__ import annotations

from contextlib import suppress
from typing import Any

import ada_url
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tether.batteries.web.urls import SafeUrl, UrlRules, canonical_host, check_redirect, check_url
from tether.core.checks import Checks
from tether.core.errors import InputRefused, LimitExceeded

HOSTS = ["allowed.example", "ok.example", "*.below.example", "bücher.example", "93.184.216.34"]


def rules(**settings: Any) -> UrlRules:
    check = Checks()
    given_rules: dict[str, Any] = {
        "hosts": HOSTS,
        "private_hosts": ["127.0.0.1:8080", "[::1]:8080"],
        "schemes": ["https", "http"],
        "ports": [80, 443],
    }
    made = UrlRules.of(check, **given_rules | settings)
    assert check.problems == []
    return made


RULES = rules()

# RFC 3986, sections 3 and 6.2: scheme and host in lower case, an empty path is "/", dot segments
# are removed; RFC 5891 for the host in another script. A fragment is never sent (RFC 9110, 4.2.4).
READ = {
    "https://allowed.example": ("https", "allowed.example", 443, "/"),
    "HTTPS://ALLOWED.Example/Path": ("https", "allowed.example", 443, "/Path"),
    "http://allowed.example:80/": ("http", "allowed.example", 80, "/"),
    "https://allowed.example:80/": ("https", "allowed.example", 80, "/"),
    "https://allowed.example/a/./b/../c?x=1&y=%20#part": (
        "https", "allowed.example", 443, "/a/c?x=1&y=%20",
    ),
    "https://allowed.example?q": ("https", "allowed.example", 443, "/?q"),
    "https://allowed.example/é": ("https", "allowed.example", 443, "/%C3%A9"),
    "https://bücher.example/": ("https", "xn--bcher-kva.example", 443, "/"),
    "https://BÜCHER.example/": ("https", "xn--bcher-kva.example", 443, "/"),
    "https://xn--bcher-kva.example/": ("https", "xn--bcher-kva.example", 443, "/"),
    "https://a.below.example/": ("https", "a.below.example", 443, "/"),
    "https://a.b.below.example/": ("https", "a.b.below.example", 443, "/"),
    "https://93.184.216.34/": ("https", "93.184.216.34", 443, "/"),
    "http://127.0.0.1:8080/": ("http", "127.0.0.1", 8080, "/"),
    "http://[::1]:8080/": ("http", "::1", 8080, "/"),
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_a_plain_url_is_read(text: str) -> None:
    url = check_url(text, RULES)
    assert (url.scheme, url.host, url.port, url.target) == READ[text]
    assert check_url(str(url), RULES) == url


# F13, and cases 61 and 65: what parsers read differently, and what merely looks like a listed host.
REFUSED = {
    # F13: the host depends on who reads it
    "http://ok.example\\@127.0.0.1/": "'\\\\\\\\'",
    "http://127.0.0.1\\@ok.example/": "'\\\\\\\\'",
    "http://ok.example\\.evil.example/": "'\\\\\\\\'",
    "http:\\\\ok.example/": "'\\\\\\\\'",
    "http://2130706433/": "unusual form",
    "http://0x7f.1/": "unusual form",
    "http://127.1/": "unusual form",
    "http://0177.0.0.1/": "unusual form",
    "http://0x7f000001/": "unusual form",
    "http://0x/": "unusual form",
    "http://ok.example.0x1/": "unusual form",
    "http://127.0.0.1./": "dot at its end",
    "http://\uff11\uff12\uff17.0.0.1:8080/": "not a URL",
    "http://①②⑦.0.0.1:8080/": "not a URL",
    "http://ok.example@127.0.0.1/": "'@'",
    "http://ok.example:80@127.0.0.1/": "'@'",
    "http://user:password@ok.example/": "names and passwords",
    "http://ok.example#@127.0.0.1/": "'@'",
    "http://ok.example?@127.0.0.1/": "'@'",
    "http://ok.example/@person": "%XX",
    "http://ok.example /": "' '",
    " http://ok.example/": "' '",
    "http://ok.example/a b": "' '",
    "http://ok.example/\n": "'\\\\n'",
    "http://ok.example\t/": "'\\\\t'",
    "http://ok.example/\x00": "'\\\\x00'",
    "http://ok.example/\x7f": "'\\\\x7f'",
    "http://ok\u200b.example/": "u200b",
    "http://ok\u00ad.example/": "xad",
    "http://ok.example/\u202e": "u202e",
    "http://ok.example/\ud800": "ud800",
    "http://ok.example/\u2028": "u2028",
    "http://ok%2eexample/": "must be a host",
    "http://%6fk.example/": "must be a host",
    # case 65: not the exact host
    "https://allowed.example.evil.com/": "not on the list",
    "https://evil.com/allowed.example": "not on the list",
    "https://evil.com?allowed.example": "not on the list",
    "https://evil.com#allowed.example": "not on the list",
    "https://allowed.example:81/": "port 81",
    "https://allowed.example:8080/": "port 8080",
    "https://allowed.example./": "dot at its end",
    "https://allowed..example/": "not the name of a host",
    "https://.allowed.example/": "not the name of a host",
    "https://\u0430llowed.example/": "not on the list",  # a Cyrillic letter
    "https://allowed.exampl\u0435/": "not on the list",  # another
    "https://allowedexample/": "not on the list",
    "https://www.allowed.example/": "not on the list",
    "https://llowed.example/": "not on the list",
    "https://below.example/": "not on the list",
    "https://xbelow.example/": "not on the list",
    "https://\uff41llowed.example/": "not a URL",
    "https://ⓐllowed.example/": "not a URL",
    "https://allowed。example.evil.com/": "not on the list",
    "https://allowed.example℀.evil.com/": "not a URL",  # folds to a/c
    "https://xn--a.example/": "not the name of a host",
    "https://allowed_example/": "not the name of a host",
    "https://-allowed.example/": "not the name of a host",
    f"https://{'a' * 64}.example/": "not the name of a host",
    f"https://{'a.' * 126}below.example/": "too long",
    # IP literals that nobody listed
    "https://1.1.1.1/": "not on the list",
    "https://[2606:4700:4700::1111]/": "not on the list",
    "http://127.0.0.1/": "not on the list",
    "http://127.0.0.1:8081/": "not on the list",
    "http://[::1]/": "not on the list",
    "http://[::ffff:127.0.0.1]:8080/": "not on the list|two ways",
    "http://[0:0:0::0001]:8080/": "two ways",
    "http://[fe80::1%eth0]/": "must be a host",
    "http://[fe80::1%25eth0]/": "must be a host",
    "http://[::1/": "not a URL",
    "http://::1/": "must be a host",
    "http://[1.2.3]/": "not a URL|unusual form",
    "http://[v1.a]/": "not a URL|must be a host",
    "http://[]/": "not a URL|must be a host",
    "http://[::1]x:8080/": "not a URL|must be a host",
    # not the form of a URL
    "": "must begin with",
    "allowed.example": "must begin with",
    "//allowed.example/": "must begin with",
    "https:allowed.example": "must be a host",
    "https:/allowed.example": "must be a host",
    "https:///allowed.example": "must be a host",
    "https://": "must be a host",
    "https://:443/": "must be a host",
    "https://allowed.example:/": "must be a host",
    "https://allowed.example:0443/": "must be a host",
    "https://allowed.example:+443/": "must be a host",
    "https://allowed.example:\uff14\uff14\uff13/": "must be a host",
    "https://allowed.example:443443/": "must be a host",
    "https://allowed.example:99999/": "port 99999|not a URL",
    "https://allowed.example:0/": "must be a host",
    "https://allowed.example:80:80/": "must be a host",
    "file:///etc/passwd": "must begin with",
    "gopher://allowed.example/": "must begin with",
    "ftp://allowed.example/": "must begin with",
    "javascript:alert(1)": "must begin with",
    "data:text/plain,hello": "must begin with",
    "wss://allowed.example/": "must begin with",
    "https+http://allowed.example/": "must begin with",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_url_that_could_be_read_in_two_ways_or_is_not_listed_is_refused(text: str) -> None:
    with pytest.raises(InputRefused, match=REFUSED[text]):
        check_url(text, RULES)


def test_a_long_url_is_refused_without_being_repeated() -> None:
    assert len(str(check_url(f"https://ok.example/{'a' * 2029}", RULES))) == 2048
    with pytest.raises(LimitExceeded, match="2,048 characters; this one has 1,000,019") as caught:
        check_url(f"https://ok.example/{'a' * 1_000_000}", RULES)
    assert len(str(caught.value)) < 500


def test_http_has_to_be_listed() -> None:
    with pytest.raises(InputRefused, match="must begin with https://, not with 'http'"):
        check_url("http://ok.example/", rules(schemes=["https"]))


def test_the_refusal_lists_what_may_be_read_but_not_endlessly() -> None:
    with pytest.raises(InputRefused, match=r"\*\.below\.example, 127\.0\.0\.1:8080, 93"):
        check_url("https://other.example/", RULES)
    many = rules(hosts=[f"h{number:03}.example" for number in range(100)], private_hosts=[])
    with pytest.raises(InputRefused, match=r"h009\.example, …\.$"):
        check_url("https://other.example/", many)


FRAGMENTS = (
    *("ok.example", "OK.example", "a.below.example", "bücher.example", "93.184.216.34", "a"),
    *(".", "。", "-", ":", ":80", ":443", "/", "//", "?", "#", "%2e", "%2F", "[", "]", "0x1"),
    *("/..", "/./", "é", "\uff11", "\u00ad", "_", "~", "!", ";", "=", "&", "|", "^", "{", '"', "<"),
)
TRICKY = st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join)


# ada is a WHATWG parser, the one of a large JavaScript runtime: a third and independent reading.
@given(
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["https://", "http:", "HTTP://ok.example"]),
        st.sampled_from(FRAGMENTS),
        TRICKY,
    )
)
@example("https://ok.example/%2e%2e/a")
@example("https://a.below.example:80/?a#b")
def test_what_is_accepted_means_the_same_to_a_browser(text: str) -> None:
    try:
        url = check_url(text, RULES)
    except InputRefused:
        return
    seen = ada_url.URL(text)
    assert (seen.protocol, seen.hostname) == (f"{url.scheme}:", url.host)
    assert int(seen.port or {"https:": 443, "http:": 80}[seen.protocol]) == url.port


@pytest.mark.parametrize("text", [text for text in READ if "[" not in text])
def test_plain_urls_mean_the_same_to_a_browser(text: str) -> None:
    seen = ada_url.URL(text)
    scheme, host, port, target = READ[text]
    assert (seen.protocol, seen.hostname, seen.pathname + seen.search) == (
        f"{scheme}:",
        host,
        target,
    )
    assert int(seen.port or {"https": 443, "http": 80}[scheme]) == port


@given(st.text(max_size=50))
def test_any_text_is_read_or_refused(text: str) -> None:
    for candidate in (text, f"https://{text}", f"https://ok.example/{text}"):
        with suppress(InputRefused):
            assert check_url(candidate, RULES).host


HERE = check_url("https://ok.example/folder/page?x=1", RULES)


# RFC 3986, section 5.4: references against a base.
@pytest.mark.parametrize(
    ("location", "expected"),
    {
        "other": "https://ok.example/folder/other",
        "/other?y#z": "https://ok.example/other?y",
        "../up": "https://ok.example/up",
        "?y=2": "https://ok.example/folder/page?y=2",
        "//allowed.example/x": "https://allowed.example/x",
        "https://allowed.example": "https://allowed.example/",
        "": "https://ok.example/folder/page?x=1",
        "/ünder": "https://ok.example/%C3%BCnder",
    }.items(),
)
def test_a_redirect_is_read_as_a_reference(location: str, expected: str) -> None:
    assert str(check_redirect(HERE, location, RULES)) == expected


# Case 63.
@pytest.mark.parametrize(
    "location",
    ["http://127.0.0.1/", "file:///etc/passwd", "gopher://ok.example/", "https://evil.com/",
     "\\\\evil.com\\x", "/\\evil.com", "http://ok.example/", "https://ok.example:81/",
     "//ok.example@evil.com/", "https://[", "javascript:alert(1)", "/a b", "/\t", "/@x",
     "https://2130706433/"],
)  # fmt: skip
def test_a_redirect_passes_all_the_checks_again(location: str) -> None:
    with pytest.raises(InputRefused, match="redirects"):
        check_redirect(HERE, location, RULES)


def test_a_redirect_may_go_from_http_up_to_https() -> None:
    below = check_url("http://ok.example/", RULES)
    assert check_redirect(below, "https://ok.example/", RULES).scheme == "https"
    assert check_redirect(below, "/x", RULES).scheme == "http"


def test_the_parts_of_a_url_can_be_put_together_again() -> None:
    url = SafeUrl(scheme="https", host="::1", port=8443, target="/a?b?c")
    assert str(url) == "https://[::1]:8443/a?b?c"
    assert url.query == "b?c"
    assert SafeUrl(scheme="http", host="a.example", port=80, target="/").authority == "a.example"


def test_a_host_has_one_form() -> None:
    assert canonical_host("EXAMPLE.org") == "example.org"
    assert canonical_host("faß.example") == "xn--fa-hia.example"  # IDNA 2008, non-transitional


def problems_of(**settings: Any) -> dict[str, str]:
    check = Checks()
    given_rules: dict[str, Any] = {
        "hosts": ["a.example"],
        "private_hosts": [],
        "schemes": ["https"],
        "ports": [443],
    }
    UrlRules.of(check, **given_rules | settings)
    return dict(check.problems)


@pytest.mark.parametrize(
    ("settings", "field", "message"),
    [
        ({"hosts": []}, "hosts", "at least one host"),
        ({"hosts": "a.example"}, "hosts", "a list of"),
        ({"hosts": [5]}, "hosts[0]", "must be"),
        ({"hosts": ["*"]}, "hosts", "not the name of a host"),
        ({"hosts": ["*.org"]}, "hosts", "two names"),
        ({"hosts": ["*.0.0.1"]}, "hosts", "unusual form"),
        ({"hosts": ["a.*.example"]}, "hosts", "not the name of a host"),
        ({"hosts": ["https://a.example"]}, "hosts", "not the name of a host"),
        ({"hosts": ["a.example:443"]}, "hosts", "not the name of a host"),
        ({"hosts": ["127.1"]}, "hosts", "unusual form"),
        ({"hosts": [""]}, "hosts", "not the name of a host"),
        ({"private_hosts": ["127.0.0.1"]}, "private_hosts", "127.0.0.1:8080"),
        ({"private_hosts": ["127.0.0.1:99999"]}, "private_hosts", "127.0.0.1:8080"),
        ({"private_hosts": ["::1:80"]}, "private_hosts", "in brackets"),
        ({"schemes": []}, "schemes", "'https'"),
        ({"schemes": ["ftp"]}, "schemes", "'https'"),
        ({"ports": [0]}, "ports", "from 1 to 65535"),
        ({"ports": ["443"]}, "ports[0]", "must be"),
    ],
)
def test_rules_that_make_no_sense_are_named(
    settings: dict[str, Any], field: str, message: str
) -> None:
    assert message in problems_of(**settings)[field]
