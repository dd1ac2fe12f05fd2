"""True statements about the invented product, in other words than those of its pages."""

from __future__ import annotations

from typing import NamedTuple


class Truth(NamedTuple):
    """A true statement, and words of the unit that says it."""

    question: str
    said: str
    unit: str


PROSE = [
    Truth(
        "Are secrets encrypted?",
        "By default, secrets are stored unencrypted.",
        "stored unencrypted",
    ),
    Truth(
        "What opens a sealed store?",
        "The seal key is needed to open a sealed store.",
        "cannot be opened without",
    ),
    Truth("Is the seal key saved?", "The seal key is not written to disk.", "never written"),
    Truth(
        "How often is the key rotated?",
        "The seal key is rotated every 90 days by the vault.",
        "every 90 days",
    ),
    Truth(
        "How long do old keys work?",
        "After a rotation, old keys can be read for 14 days.",
        "Old keys",
    ),
    Truth(
        "Can I rotate a key earlier?",
        "Yes, an administrator can rotate a key earlier with `halyard seal rotate`.",
        "An administrator",
    ),
    Truth("How large is a bucket?", "The most a bucket can hold is 5 TB.", "at most 5 TB"),
    Truth(
        "How large may uploads be?",
        "Single uploads may have up to 5 GB, multipart uploads up to 500 GB.",
        "single upload",
    ),
    Truth(
        "How long are deleted files kept?",
        "Files that were deleted remain in the bin for 30 days.",
        "30 days",
    ),
    Truth(
        "How many copies are made?",
        "Every file is copied to two replicas by the primary.",
        "two replicas",
    ),
    Truth(
        "Can clients write to replicas?",
        "No, a replica does not accept writes from clients.",
        "never accepts",
    ),
    Truth(
        "What if the primary fails?",
        "If the primary fails, the replica that has the newest log takes over.",
        "newest log",
    ),
    Truth("Which port has the gateway?", "The gateway's port is 8443.", "8443"),
    Truth(
        "When are idle connections closed?",
        "A connection is closed once it has been idle for more than 60 seconds.",
        "60 seconds",
    ),
    Truth(
        "Which TLS is needed?", "TLS 1.3 is required, and older versions are refused.", "TLS 1.3"
    ),
    Truth(
        "How often does a client retry?",
        "A failed request is retried between two and five times.",
        "at least twice",
    ),
    Truth(
        "How does the delay grow?",
        "The delay is 200 ms at first and doubles with each attempt.",
        "200 ms",
    ),
    Truth("Who can delete a project?", "Projects can be deleted by owners.", "Owners can delete"),
    Truth(
        "When are accounts locked?",
        "After 5 failed attempts, the account is locked for 15 minutes.",
        "15 minutes",
    ),
    Truth("How long is a session?", "8 hours.", "8 hours"),
    Truth(
        "How long must passwords be?",
        "12 characters is the minimum for a password.",
        "12 characters",
    ),
    Truth(
        "What do I stop first?",
        "The workers have to be stopped before the gateway.",
        "Stop the workers",
    ),
    Truth("When do backups run?", "Every night at 02:00, backups run.", "02:00"),
    Truth("How long are backups kept?", "35 days", "35 days"),
    Truth(
        "Is the index backed up?", "No, a backup does not contain the search index.", "search index"
    ),
]
TABLES = [
    Truth("What does the hot tier cost?", "The hot tier costs 0.023 EUR per GB.", "0.023"),
    Truth("What does the cool tier cost?", "In the cool tier, a GB costs 0.011 EUR.", "0.011"),
    Truth("What does the cold tier cost?", "0.004 EUR per GB", "0.004"),
    Truth(
        "How long is the minimum stay in the cold tier?",
        "Files in the cold tier must stay for at least 90 days.",
        "90 days",
    ),
    Truth(
        "How long does retrieval take?",
        "Retrieval from the cold tier takes up to 12 hours.",
        "12 hours",
    ),
    Truth("How fast is the hot tier?", "Retrieval from the hot tier is immediate.", "immediate"),
    Truth("What is the default of idle_timeout?", "`idle_timeout` is 60 seconds by default.", "60"),
    Truth("What is the largest body?", "The largest body of a request is 20 MB by default.", "20"),
    Truth("What is the default log level?", "The default of `log_level` is warn.", "warn"),
    Truth(
        "How many workers are there?",
        "By default, 4 requests are handled at the same time.",
        "same time",
    ),
    Truth(
        "What does max_body set?", "`max_body` sets the largest body of a request.", "largest body"
    ),
]
LISTS = [
    Truth("Which Linux is needed?", "Halyard needs Linux 5.10 or later.", "5.10"),
    Truth(
        "How much memory is needed?", "4 GB of memory are needed, and 8 GB are recommended.", "4 GB"
    ),
    Truth(
        "Which database is needed?", "The catalogue needs PostgreSQL 14 or newer.", "PostgreSQL 14"
    ),
    Truth("Which port must be open?", "Halyard needs outbound access to port 443.", "443"),
    Truth("What replaced sync?", "`mirror` replaced the `sync` command.", "mirror"),
    Truth("Is MySQL supported?", "No, support for MySQL ended with version 3.", "MySQL"),
    Truth("When do exports go?", "Scheduled exports will be removed in version 4.", "version 4"),
    Truth("How often is a token shown?", "The token is shown only once, so copy it.", "only once"),
    Truth(
        "When does a token expire?",
        "A token expires after 180 days unless it is renewed.",
        "180 days",
    ),
    Truth("Who can revoke a token?", "Its creator and any owner can revoke a token.", "revoked"),
]
