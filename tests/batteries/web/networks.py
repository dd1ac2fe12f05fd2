"""Networks that are not public, from IANA's registries of special-purpose addresses.

With multicast (RFC 5771, RFC 4291), class E and broadcast (RFC 1112, RFC 919), the withdrawn 6to4
relays (RFC 7526) and site-local addresses (RFC 3879), and the address at which one cloud keeps its
metadata.
"""

IPV4 = (
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
    *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"),
    *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
    "255.255.255.255/32",
)

IPV6 = (
    *("::/128", "::1/128", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001::/32"),
    *("2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"),
    "fd00:ec2::254/128",
)
