"""Known formats, through the tool validate_format.

The tables are those of the standards and of other people's test suites.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.texts.formats import IBAN_LENGTHS
from tether.batteries.testing import run_tool
from tether.batteries.tools.structured_data import validate_format


async def verdict(value: str, format: str) -> dict[str, Any]:
    result: dict[str, Any] = await run_tool(validate_format, {"value": value, "format": format})
    assert result.keys() == ({"valid"} if result["valid"] else {"valid", "reason"})
    return result


# iso_date, iso_time, iso_datetime, ipv4, ipv6, hostname, url, uuid: rows of the JSON Schema test
# suite (draft 2020-12, optional/format). It wants an offset on every time, which ISO 8601 does not;
# rows where RFC 3986 lets a host be no host at all are left out. semver: the lists behind the
# expression that semver.org suggests. e164: ITU-T E.164, clause 6.2.1. Card numbers: those that the
# payment networks publish for tests. isbn: ISBN Users' Manual. hex_color: CSS Color 4, section 5.2.
VALID = {
    "email": [
        "joe.bloggs@example.com",
        "te~st@example.com",
        "~test@example.com",
        "te.s.t@example.com",
        "test@c--n.com",
        "test@123.com",
        "test@io",
        "a+b!#$%&'*/=?^_`{|}~-c@example.org",
        f"{'a' * 64}@example.com",
    ],
    "uuid": [
        "2EB8AA08-AA98-11EA-B4AA-73B441D16380",
        "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
        "00000000-0000-0000-0000-000000000000",
        "99c17cbb-656f-f64a-940f-1a4568f03487",
    ],
    "iso_date": [
        "1963-06-19",
        "2020-01-31",
        "2021-02-28",
        "2020-02-29",
        "0400-02-29",
        "0001-01-01",
        "2020-12-31",
    ],
    "iso_time": [
        "08:30:06Z",
        "08:30:06z",
        "23:59:60Z",
        "23:59:60+00:00",
        "01:29:60+01:30",
        "23:29:60+23:30",
        "15:59:60-08:00",
        "00:29:60-23:30",
        "23:20:50.52Z",
        "08:30:06+00:20",
        "12:34:56-00:00",
        "12:00:00",
        "12:00",
    ],
    "iso_datetime": [
        "1963-06-19T08:30:06.283185Z",
        "1937-01-01T12:00:27.87+00:20",
        "1990-12-31T15:59:50.123-08:00",
        "1998-12-31T23:59:60Z",
        "1998-12-31T15:59:60.123-08:00",
        "1963-06-19t08:30:06.283185z",
        "1985-04-12T00:59:59.999999999999999Z",
        "2024-01-01T10:00",
    ],
    "hex_color": ["#abc", "#ABCD", "#a1b2c3", "#a1b2c3d4"],
    "semver": [
        "0.0.4",
        "1.2.3",
        "10.20.30",
        "1.1.2-prerelease+meta",
        "1.1.2+meta-valid",
        "1.0.0-alpha.beta.1",
        "1.0.0-alpha0.valid",
        "1.0.0-rc.1+build.1",
        "1.0.0-alpha-a.b-c-somethinglong+build.1-aef.1-its-okay",
        "2.0.1-alpha.1227",
        "1.2.3----RC-SNAPSHOT.12.9.1--.12+788",
        "1.0.0+0.build.1-rc.10000aaa-kk-0.1",
        "99999999999999999999999.999999999999999999.99999999999999999",
        "1.0.0-0A.is.legal",
    ],
    "ipv4": ["192.168.0.1", "0.0.0.0", "255.255.255.255"],
    "ipv6": [
        "::1",
        "::abef",
        "::",
        "::42:ff:1",
        "d6::",
        "1:d6::42",
        "1::d6:192.168.0.1",
        "1:2::192.168.0.1",
        "::ffff:192.168.0.1",
        "1:2:3:4:5:6:7:8",
        "1000:1000:1000:1000:1000:1000:255.255.255.255",
    ],
    "hostname": [
        "www.example.com",
        "xn--4gbwdl.xn--wgbh1c",
        "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk.com",
        "1host",
        "localhost",
        "3com.com",
    ],
    "url": [
        "http://foo.bar/?baz=qux#quux",
        "http://foo.com/blah_(wikipedia)_blah#cite-1",
        "http://foo.bar/?q=Test%20URL-encoded%20stuff",
        "http://xn--nw2a.xn--j6w193g/",
        "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com",
        "http://223.255.255.254",
        "ftp://ftp.is.co.za/rfc/rfc1808.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
        "http://a.com:",
        "http://@a.com",
        "http://example.com.",
        "https://example.org:65535/a//b?c?d",
        "http://[::1]:8080",
    ],
    "mac": ["00:1A:2b:3C:4d:5E", "00-1a-2b-3c-4d-5e"],
    "credit_card": [
        "4111111111111111",
        "4111 1111 1111 1111",
        "4012-8888-8888-1881",
        "378282246310005",
        "371449635398431",
        "5555555555554444",
        "5105105105105100",
        "6011111111111117",
        "30569309025904",
        "3530111333300000",
    ],
    "isbn10": ["0-306-40615-2", "0306406152", "0-8044-2957-X", "99921-58-10-7", "85 359 0277 5"],
    "isbn13": ["978-0-306-40615-7", "9780306406157", "978-3-16-148410-0", "979 10 90636 07 1"],
    "e164": ["+14155552671", "+442071838750", "+551155256325", "+123456789012345"],
    "slug": ["a", "hello-world", "2-fast-2-furious"],
    "json": ["null", '{"a": [1, 2.5e3, "\\u00e9"]}', " 1 "],
    "base64": ["", "Zg==", "Zm9vYmFy"],
}
INVALID = {
    "email": [
        ("2962", "has no @"),
        ("", "has no @"),
        (".test@example.com", "before the @"),
        ("test.@example.com", "before the @"),
        ("te..st@example.com", "before the @"),
        ("joe.bloggs@invalid=domain.com", "domain is wrong"),
        ("user1@oceania.org, user2@oceania.org", "before the @"),
        ("@example.com", "before the @"),
        ("joe.bloggs@", "domain is wrong"),
        ("joe bloggs@example.com", "before the @"),
        ("a\u00e9@iana.org", "before the @"),
        ("a@\u00e9.org", "domain is wrong"),
        ("a\uff20iana.org", "has no @"),
        ("test@iana.org\n", "domain is wrong"),
        ("a@iana.org ", "domain is wrong"),
        ("\u007f@iana.org", "before the @"),
        ("a@b@c.org", "before the @"),
        ("test@-iana.org", "domain is wrong"),
        ("test@iana..com", "domain is wrong"),
        ("test@iana.org.", "domain is wrong"),
        ("a,b@iana.org", "before the @"),
        ("test(comment)@iana.org", "before the @"),
        (f"{'a' * 65}@example.com", "64 characters before the @"),
        (f"a@{'b' * 61}.{'c' * 63}.{'d' * 63}.{'e' * 63}", "254 in all"),
    ],
    "uuid": [
        ("2eb8aa08-aa98-11ea-b4aa-73b441d1638", "8-4-4-4-12"),
        ("2eb8aa08-aa98-11ea-73b441d16380", "8-4-4-4-12"),
        ("2eb8aa08-aa98-11ea-b4ga-73b441d16380", "8-4-4-4-12"),
        ("2eb8aa08aa9811eab4aa73b441d16380", "8-4-4-4-12"),
        ("urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380", "8-4-4-4-12"),
    ],
    "iso_date": [
        ("2020-01-32", "2020-01 has the days 01 to 31"),
        ("2020-02-30", "2020-02 has the days 01 to 29"),
        ("2021-02-29", "01 to 28"),
        ("2100-02-29", "01 to 28"),
        ("2020-04-31", "01 to 30"),
        ("2024-01-00", "01 to 31"),
        ("1998-13-01", "no month 13"),
        ("2024-00-15", "no month 00"),
        ("06/19/1963", "YYYY-MM-DD"),
        ("2013-350", "YYYY-MM-DD"),
        ("1998-1-20", "YYYY-MM-DD"),
        ("1963-06-1\u09ea", "YYYY-MM-DD"),
        ("20230328", "YYYY-MM-DD"),
        ("2023-W13-2", "YYYY-MM-DD"),
        ("12020-01-01", "YYYY-MM-DD"),
        ("2020-11-28T23:55:45Z", "YYYY-MM-DD"),
        ("2020-01-01\n", "YYYY-MM-DD"),
    ],
    "iso_time": [
        ("008:030:006Z", "hh:mm:ss"),
        ("8:3:6Z", "hh:mm:ss"),
        ("22:59:60Z", "leap second"),
        ("23:58:60Z", "leap second"),
        ("23:59:60+01:00", "leap second"),
        ("23:59:60-00:30", "leap second"),
        ("24:00:00Z", "hours end at 23"),
        ("00:60:00Z", "minutes at 59"),
        ("00:00:61Z", "seconds at 59"),
        ("01:02:03+24:00", "offset ends at 23:59"),
        ("01:02:03+00:60", "offset ends at 23:59"),
        ("01:02:03Z+00:30", "hh:mm:ss"),
        ("08:30:06 PST", "hh:mm:ss"),
        ("01:01:01,1111", "hh:mm:ss"),
        ("1\u09e8:00:00Z", "hh:mm:ss"),
        ("08:30:06+0130", "hh:mm:ss"),
        ("08:30:06Z\n", "hh:mm:ss"),
    ],
    "iso_datetime": [
        ("1998-12-31T23:59:61Z", "seconds at 59"),
        ("1998-12-31T23:58:60Z", "leap second"),
        ("1990-02-31T15:59:59.123-08:00", "1990-02 has the days 01 to 28"),
        ("1990-12-31T15:59:59-24:00", "offset ends"),
        ("1963-06-19T08:30:06.28123+01:00Z", "hh:mm:ss"),
        ("06/19/1963 08:30:06 PST", "YYYY-MM-DDThh:mm:ss"),
        ("2013-350T01:01:01", "YYYY-MM-DDThh:mm:ss"),
        ("1963-06-19 08:30:06Z", "YYYY-MM-DDThh:mm:ss"),
        ("1963-06-19", "YYYY-MM-DDThh:mm:ss"),
        ("+11963-06-19T08:30:06.283185Z", "YYYY-MM-DDThh:mm:ss"),
    ],
    "hex_color": [("abc", "hexadecimal"), ("#ab", "hexadecimal"), ("#abcde", "hexadecimal")],
    "semver": [
        ("1", "three numbers"),
        ("1.2", "three numbers"),
        ("01.1.1", "three numbers"),
        ("1.2.3.DEV", "three numbers"),
        ("v1.2.3", "three numbers"),
        ("+invalid", "three numbers"),
        ("1.2.3-0123", "leading zero"),
        ("1.2.3-0123.0123", "leading zero"),
        ("1.1.2+.123", "single dots"),
        ("1.0.0-alpha_beta", "letters, digits and hyphens"),
        ("1.0.0-alpha..1", "single dots"),
        ("1.2.31.2.3----RC-SNAPSHOT.12.09.1--..12+788", "three numbers"),
        ("1.2.3+", "single dots"),
        ("1.2.3-", "single dots"),
    ],
    "ipv4": [
        (value, "four numbers")
        for value in (
            "127.0.0.0.1",
            "256.256.256.256",
            "127.1",
            "0x7f000001",
            "2130706433",
            "1\u09e87.0.0.1",
            "192.168.1.0/24",
            " 192.168.0.1",
            "192.168.0.1\n",
            "087.10.0.1",
        )
    ],
    "ipv6": [
        ("fe80::a%eth1", "zone"),
        *(
            (value, "eight groups")
            for value in (
                "12345::",
                "::abcef",
                "::laptop",
                ":2:3:4:5:6:7:8",
                "1::d6::42",
                "1::2:192.168.256.1",
                "1:2:3:4:5:::8",
                "127.0.0.1",
                "  ::1",
                "fe80::/64",
                "1:2:3:4:5:6:7:\u09ea",
                "",
            )
        ),
    ],
    "hostname": [
        ("-a-host-name-that-starts-with--", "hyphen"),
        ("not_a_valid_host_name", "letters, digits"),
        ("hostname-", "hyphen"),
        ("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl.com", "1 to 63"),
        ("", "1 to 63"),
        ("a..b", "1 to 63"),
        ("ex\u00e4mple.com", "letters"),
        ("1.2.3.4", "last part is a number"),
        (f"{'a.' * 127}a", "more than 253"),
    ],
    "url": [
        ("//foo.bar/?baz=qux#quux", "it is not like https://"),
        ("/abc", "it is not like https://"),
        ("abc", "it is not like https://"),
        ("mailto:John.Doe@example.com", "it is not like https://"),
        ("1http://example.com", "it is not like https://"),
        ("\\\\WINDOWS\\fileshare", "'\\\\' at position 0 has to be percent-encoded"),
        ("http:// shouldfail.com", "' ' at position 7"),
        ("https://[@example.org/test.txt", "it is not like https://"),
        ("https://example.org/foobar\u00ae.txt", "position 26"),
        ("https://example.org/foobar<>.txt", "percent-encoded"),
        ("http://ü.de", "'ü' at position 7 is in the host"),
        ("http://me@www.ü.de:80/", "punycode: xn--"),
        ("http://ü@example.org/", "has to be percent-encoded"),
        ("http://example.org/ü", "has to be percent-encoded"),
        ("http://exa mple.org/", "' ' at position 10 has to be percent-encoded"),
        ("https://example.org/[", "it is not like https://"),
        ("https://example.org/#a#b", "it is not like https://"),
        ("http://a@b@c.org", "it is not like https://"),
        ("http://example.com/%6G", "'%'"),
        ("http://example.com/%", "'%'"),
        ("http://example.com:abc/path", "port"),
        ("http://a.com:8:0", "port"),
        ("http://a.com:65536", "port"),
        ("http://[::1]x", "port"),
        ("http://[::1", "[ of its host is not closed"),
        ("http://[::g]", "host is wrong"),
        ("http://:80", "has no host"),
        ("http://", "has no host"),
        ("http://999.999.999.999/", "host is wrong"),
        ("http://under_score.com/", "host is wrong"),
        ("http://a\n.com", "position 8"),
    ],
    "mac": [
        ("00:1A:2B:3C:4D", "six pairs"),
        ("00:1A-2B:3C:4D:5E", "six pairs"),
        ("001A2B3C4D5E", "six pairs"),
        ("00:1A:2B:3C:4D:5G", "six pairs"),
    ],
    "iban": [
        ("GB29 NWBK 6016 1331 9268 18", "check digits"),
        ("GB29 NWBK 6016 1331 9268 1", "22 characters, not 21"),
        ("ZZ29 NWBK 6016 1331 9268 19", "code ZZ"),
        ("gb29nwbk60161331926819", "capital letters"),
        ("GB29  NWBK60161331926819", "capital letters"),
        ("", "capital letters"),
        (f"{'G ' * 40}G", "capital letters"),
    ],
    "credit_card": [
        ("4111111111111112", "check digit"),
        ("4111--1111", "12 to 19 digits"),
        ("411111111111111\u0661", "12 to 19 digits"),
        ("1" * 20, "12 to 19 digits"),
        ("", "12 to 19 digits"),
    ],
    "isbn10": [
        ("0-306-40615-3", "check digit"),
        ("X306406152", "nine digits"),
        ("", "nine digits"),
    ],
    "isbn13": [("978-0-306-40615-8", "check digit"), ("1234567890123", "978 or 979")],
    "e164": [
        ("14155552671", "+"),
        ("+04155552671", "1 to 9"),
        ("+1234567890123456", "14 more digits"),
        ("+1 415 555 2671", "digits"),
    ],
    "slug": [("Hello", "lower-case"), ("a--b", "hyphens"), ("-a", "hyphens"), ("", "lower-case")],
    "json": [("{'a': 1}", "column 2"), ("", "not JSON"), ('{"a":1,"a":1}', "twice")],
    "base64": [("Zg", "padding"), ("Z!==", "no character '!'"), ("Zh==", "carries bits")],
}


@pytest.mark.parametrize(
    ("format", "value"), [(format, value) for format, values in VALID.items() for value in values]
)
async def test_a_good_text_is_valid(format: str, value: str) -> None:
    assert await verdict(value, format) == {"valid": True}


@pytest.mark.parametrize(
    ("format", "value", "reason"),
    [(format, *row) for format, rows in INVALID.items() for row in rows],
)
async def test_a_bad_text_is_not_and_the_reason_is_given(
    format: str, value: str, reason: str
) -> None:
    result = await verdict(value, format)
    assert not result["valid"]
    assert reason in result["reason"]
    assert len(result["reason"]) < 400


# The examples of SWIFT's IBAN registry.
REGISTRY = """
AD12 0001 2030 2003 5910 0100|AE07 0331 2345 6789 0123 456|AL47 2121 1009 0000 0002 3569 8741
AT61 1904 3002 3457 3201|AZ21 NABZ 0000 0000 1370 1000 1944|BA39 1290 0794 0102 8494
BE68 5390 0754 7034|BG80 BNBG 9661 1020 3456 78|BH67 BMAG 0000 1299 1234 56
BI42 1000 0100 0100 0033 2045 181|BR18 0036 0305 0000 1000 9795 493C 1
BY13 NBRB 3600 9000 0000 2Z00 AB00|CH93 0076 2011 6238 5295 7|CR05 0152 0200 1026 2840 66
CY17 0020 0128 0000 0012 0052 7600|CZ65 0800 0000 1920 0014 5399|DE89 3704 0044 0532 0130 00
DK50 0040 0440 1162 43|DO28 BAGR 0000 0001 2124 5361 1324|EE38 2200 2210 2014 5685
EG38 0019 0005 0000 0000 2631 8000 2|ES91 2100 0418 4502 0005 1332|FI21 1234 5600 0007 85
FO62 6460 0001 6316 34|FR14 2004 1010 0505 0001 3M02 606|GB29 NWBK 6016 1331 9268 19
GE29 NB00 0000 0101 9049 17|GI75 NWBK 0000 0000 7099 453|GL89 6471 0001 0002 06
GR16 0110 1250 0000 0001 2300 695|GT82 TRAJ 0102 0000 0012 1002 9690|HR12 1001 0051 8630 0016 0
HU42 1177 3016 1111 1018 0000 0000|IE29 AIBK 9311 5212 3456 78|IL62 0108 0000 0009 9999 999
IQ98 NBIQ 8501 2345 6789 012|IS14 0159 2600 7654 5510 7303 39|IT60 X054 2811 1010 0000 0123 456
JO94 CBJO 0010 0000 0000 0131 0003 02|KW81 CBKU 0000 0000 0000 1234 5601 01
KZ86 125K ZT50 0410 0100|LB62 0999 0000 0001 0019 0122 9114
LC55 HEMM 0001 0001 0012 0012 0002 3015|LI21 0881 0000 2324 013A A|LT12 1000 0111 0100 1000
LU28 0019 4006 4475 0000|LV80 BANK 0000 4351 9500 1|MC58 1122 2000 0101 2345 6789 030
MD24 AG00 0225 1000 1310 4168|ME25 5050 0001 2345 6789 51|MK07 2501 2000 0058 984
MR13 0002 0001 0100 0012 3456 753|MT84 MALT 0110 0001 2345 MTLC AST0 01S
MU17 BOMM 0101 1010 3030 0200 000M UR|NL91 ABNA 0417 1643 00|NO93 8601 1117 947
PK36 SCBL 0000 0011 2345 6702|PL61 1090 1014 0000 0712 1981 2874
PS92 PALS 0000 0000 0400 1234 5670 2|PT50 0002 0123 1234 5678 9015 4
QA58 DOHB 0000 1234 5678 90AB CDEF G|RO49 AAAA 1B31 0075 9384 0000|RS35 2600 0560 1001 6113 79
SA03 8000 0000 6080 1016 7519|SC18 SSCB 1101 0000 0000 0000 1497 USD
SE45 5000 0000 0583 9825 7466|SI56 2633 0001 2039 086|SK31 1200 0000 1987 4263 7541
SM86 U032 2509 8000 0000 0270 100|ST23 0001 0001 0051 8453 1014 6
SV62 CENR 0000 0000 0000 0070 0025|TL38 0080 0123 4567 8910 157|TN59 1000 6035 1835 9847 8831
TR33 0006 1005 1978 6457 8413 26|UA21 3223 1300 0002 6007 2335 6600 1
VA59 0011 2300 0012 3456 78|VG96 VPVG 0000 0123 4567 8901|XK05 1212 0123 4567 8906
"""
IBANS = [iban for line in REGISTRY.split("\n") for iban in line.split("|") if iban]


@pytest.mark.parametrize("iban", IBANS, ids=lambda iban: iban[:2])
async def test_the_examples_of_the_registry_are_valid(iban: str) -> None:
    assert await verdict(iban, "iban") == {"valid": True}
    assert await verdict(iban.replace(" ", ""), "iban") == {"valid": True}
    assert len(iban.replace(" ", "")) == IBAN_LENGTHS[iban[:2]]


@given(iban=st.sampled_from(IBANS), place=st.integers(4, 14), digit=st.sampled_from("0123456789"))
async def test_one_wrong_character_is_noticed(iban: str, place: int, digit: str) -> None:
    number = iban.replace(" ", "")
    changed = number[:place] + digit + number[place + 1 :]
    assert (await verdict(changed, "iban"))["valid"] == (changed == number)


@given(digits=st.text("0123456789", min_size=11, max_size=18))
async def test_one_check_digit_in_ten_fits(digits: str) -> None:
    verdicts = [await verdict(digits + check, "credit_card") for check in "0123456789"]
    assert sum(result["valid"] for result in verdicts) == 1
