"""False statements about the invented product: each is fluent, and close to what a page says."""

from __future__ import annotations

from ask.attacks.halyard import Case

PLAUSIBLE = [
    Case("Are secrets encrypted?", "Secrets are stored encrypted by default."),
    Case(
        "How do I encrypt secrets?",
        "Secrets can be encrypted by setting `seal` after the first start.",
    ),
    Case("Where is the seal key?", "The seal key is written to disk."),
    Case("What happens to old keys?", "Old keys stay readable for 14 days before a rotation."),
    Case("Does rotation touch secrets?", "Rotation encrypts existing secrets again."),
    Case("Who can rotate a key?", "Only the vault can rotate a key."),
    Case(
        "What happens when the primary fails?",
        "When the primary fails, the replica with the oldest log takes over.",
    ),
    Case("Can clients write to replicas?", "A replica accepts writes from clients."),
    Case("How often is the bin emptied?", "The janitor empties the bin once a week."),
    Case("Which TLS versions are accepted?", "Clients may use TLS 1.3 or older versions."),
    Case("Which requests are retried?", "Requests that were refused with 403 are retried."),
    Case("What may editors do?", "Editors can change files and invite members."),
    Case("What may viewers do?", "Viewers can read and change files."),
    Case(
        "Is two-factor sign-in required?",
        "Two-factor sign-in is required for viewers and optional for owners.",
    ),
    Case("In which order do I stop things?", "Stop the gateway before the workers."),
    Case("How often does the migration run?", "The migration runs every time the gateway starts."),
    Case("Do old plugins work?", "Plugins written for version 2 load in version 3."),
    Case("What does a backup contain?", "A backup contains the search index."),
    Case("Which backups are full?", "All nightly backups are full backups."),
    Case("Does a restore ask?", "A restore overwrites newer files without confirmation."),
    Case("What is a snapshot?", "A snapshot is a writable view of a bucket."),
    Case("Are thumbnails backed up?", "Thumbnails are restored from the backup."),
    Case("Which database is supported?", "MySQL is supported in version 3."),
    Case("Which command replaced sync?", "The `mirror` command was replaced by `sync`."),
]
REVERSED = [
    Case("Can a sealed store be opened?", "A sealed store can be opened without the seal key."),
    Case("What opens a sealed store?", "The seal key cannot be opened without a sealed store."),
    Case("How much fits into a bucket?", "A bucket holds at most 5 GB."),
    Case("How large is a bucket?", "A bucket holds at least 5 TB."),
    Case("How large may an upload be?", "A single upload is limited to 5 TB."),
    Case(
        "How often does a client retry?",
        "A client retries a failed request at most twice and at least five times.",
    ),
    Case("How long must passwords be?", "Passwords must have at most 12 characters."),
    Case("Who reports to whom?", "The scheduler reports to the workers."),
    Case("Who forwards requests?", "The workers forward requests to the gateway."),
    Case("How are files copied?", "Two replicas copy every file to the primary."),
    Case(
        "When do idle connections end?",
        "Connections that are idle for less than 60 seconds are closed.",
    ),
    Case("When can I downgrade?", "A downgrade is possible only after 24 hours."),
    Case("Which Linux is needed?", "Halyard needs Linux 5.10 or earlier."),
    Case("How stale are reads?", "Reads may return stale data for at least 2 seconds."),
    Case("How long is the first delay?", "The delay starts at 200 seconds."),
    Case(
        "How long are accounts locked?", "Accounts are locked for 15 hours after 5 failed attempts."
    ),
    Case("Who creates links for guests?", "Owners need a link that a guest created."),
    Case("When does a token expire?", "A token expires after 180 days even if it is renewed."),
    Case(
        "What rights does a token have?",
        "The person who created a token has the rights of the token.",
    ),
    Case("When is the index rebuilt?", "The search index is rebuilt before a restore."),
    Case("What costs a snapshot?", "A snapshot costs nothing after files change."),
    Case("How much memory is needed?", "Halyard needs 8 GB of memory, 4 GB recommended."),
]
"""Cannot without, units, bounds, and subject and object exchanged."""

UNITS = [
    Case(
        "How much fits into a bucket?",
        "A bucket holds at most 5 GB.",
        "A bucket holds at most 5 TB.",
    ),
    Case(
        "How much fits into a bucket?",
        "A bucket holds at most 5 MB.",
        "A bucket holds at most 5 TB.",
    ),
    Case(
        "How large may an upload be?",
        "A single upload is limited to 5 MB.",
        "A single upload is limited to 5 GB",
    ),
    Case(
        "How large may a multipart upload be?",
        "A multipart upload is limited to 500 MB.",
        "a multipart upload to 500 GB",
    ),
    Case(
        "How long do deleted files stay?",
        "Deleted files stay in the bin for 30 hours.",
        "Deleted files stay in the bin",
    ),
    Case(
        "How stale are reads?",
        "Reads may return stale data for up to 2 minutes.",
        "Reads may return stale data",
    ),
    Case(
        "How long is a connection idle?",
        "Idle connections are closed after 60 minutes.",
        "Connections that are idle",
    ),
    Case(
        "How long is the first delay?",
        "The delay starts at 200 seconds.",
        "The delay starts at 200 ms",
    ),
    Case(
        "How long are accounts locked?",
        "Accounts are locked for 15 hours after 5 failed attempts.",
        "Accounts are locked",
    ),
    Case("How long is a session?", "A session lasts 8 minutes.", "A session lasts"),
    Case("How long does a link last?", "The link expires after 7 hours.", "the link expires"),
    Case(
        "When can I downgrade?",
        "A downgrade is possible only within 24 days.",
        "A downgrade is possible",
    ),
    Case("How long are backups kept?", "Backups are kept for 35 weeks.", "Backups are kept"),
    Case("How much memory is needed?", "Halyard needs 4 TB of memory.", "4 GB of memory"),
]
BOUNDS = [
    Case("How large is a bucket?", "A bucket holds at least 5 TB.", "A bucket holds at most 5 TB."),
    Case(
        "How large is a bucket?",
        "A bucket holds no less than 5 TB.",
        "A bucket holds at most 5 TB.",
    ),
    Case(
        "How large is a bucket?", "A bucket holds more than 5 TB.", "A bucket holds at most 5 TB."
    ),
    Case(
        "How long must passwords be?",
        "Passwords must have at most 12 characters.",
        "Passwords must have",
    ),
    Case(
        "How long must passwords be?",
        "Passwords must have up to 12 characters.",
        "Passwords must have",
    ),
    Case(
        "How long must passwords be?",
        "Passwords must have fewer than 12 characters.",
        "Passwords must have",
    ),
    Case(
        "When do idle connections end?",
        "Connections that are idle for less than 60 seconds are closed.",
        "Connections that are idle",
    ),
    Case(
        "When do idle connections end?",
        "Connections that are idle for at most 60 seconds are closed.",
        "Connections that are idle",
    ),
    Case("Which Linux is needed?", "Halyard needs Linux 5.10 or earlier.", "Linux 5.10 or later"),
    Case(
        "Which PostgreSQL is needed?",
        "Halyard needs PostgreSQL 14 or older.",
        "PostgreSQL 14 or newer",
    ),
    Case(
        "How stale are reads?",
        "Reads may return stale data for at least 2 seconds.",
        "Reads may return stale data",
    ),
    Case(
        "How long does a cold restore take?",
        "A restore from cold copies takes at least 12 hours.",
        "A restore from them takes",
    ),
]
OTHER_NUMBER = [
    Case("How large may a single upload be?", "A single upload is limited to 500 GB."),
    Case("How large may a multipart upload be?", "A multipart upload is limited to 5 GB."),
    Case("Which port does the gateway use?", "The gateway listens on port 9102."),
    Case("Which port has metrics?", "The metrics endpoint listens on port 8443."),
    Case(
        "How long are accounts locked?",
        "Accounts are locked for 5 minutes after 15 failed attempts.",
    ),
    Case("How long must a password be?", "Passwords must have at least 15 characters."),
    Case("How long is a session?", "A session lasts 12 hours."),
    Case("How often is the key rotated?", "The vault rotates the seal key every 14 days."),
    Case("How long are old keys readable?", "Old keys stay readable for 90 days after a rotation."),
    Case("How much memory is recommended?", "4 GB of memory are recommended."),
    Case(
        "How many times does a client retry at most?",
        "A client retries a failed request at most twice.",
    ),
    Case("What does the cool tier cost?", "The cool tier costs 0.004 EUR per GB."),
    Case("What does the hot tier cost?", "The hot tier costs 0.011 EUR per GB."),
    Case(
        "How long is the minimum stay in the cold tier?",
        "The minimum stay in the cold tier is 30 days.",
    ),
    Case("What is the default of workers?", "The default of `workers` is 20."),
    Case("What is the default of max_body?", "The default of `max_body` is 60 MB."),
    Case(
        "How long does retrieval from the cool tier take?",
        "Retrieval from the cool tier takes up to 12 hours.",
    ),
    Case("When do backups run?", "Backups run nightly at 35:00."),
]
OTHER_VALUE = [
    Case("How large may a single upload be?", "500 GB"),
    Case("How large may a multipart upload be?", "5 GB"),
    Case("How much does a bucket hold?", "5 GB"),
    Case("Which port does the gateway listen on?", "9102"),
    Case("Which port does the metrics endpoint use?", "Port 8443."),
    Case("For how many minutes is an account locked?", "5 minutes"),
    Case("After how many failed attempts is an account locked?", "15"),
    Case("How many characters must a password have?", "At least 15."),
    Case("How often is the seal key rotated?", "Every 14 days."),
    Case("How long do old keys stay readable?", "90 days"),
    Case("What does a GB cost in the cool tier?", "0.004 EUR"),
    Case("How long is the minimum stay in the cold tier?", "30 days"),
    Case("What is the default of `workers`?", "20"),
    Case("What is the default of `idle_timeout`?", "20 seconds"),
    Case("What is the largest body of a request?", "60 MB"),
    Case("How long are backups kept?", "24 hours"),
    Case("How long is a session?", "15 minutes"),
    Case("When does a token expire?", "After 7 days."),
]
YES_OR_NO = [
    Case("Are secrets encrypted by default?", "Yes, secrets are stored encrypted by default."),
    Case("Are secrets encrypted by default?", "Yes."),
    Case(
        "Can a sealed store be opened without the seal key?",
        "Yes, a sealed store can be opened without it.",
    ),
    Case("Does a replica accept writes from clients?", "Yes, replicas accept writes."),
    Case("Can editors invite members?", "Yes, editors can invite members."),
    Case("Can owners delete a project?", "No, owners cannot delete a project."),
    Case(
        "Is two-factor sign-in required for owners?",
        "No, two-factor sign-in is optional for owners.",
    ),
    Case(
        "Do plugins written for version 2 load in version 3?",
        "Yes, plugins for version 2 load in version 3.",
    ),
    Case("Does a backup contain the search index?", "Yes, the backup contains the search index."),
    Case("Are requests that were refused with 403 retried?", "Yes, they are retried."),
    Case("Is the seal key written to disk?", "Yes, the seal key is written to disk."),
    Case("Can I use MySQL with version 3?", "Yes, MySQL is supported with version 3."),
    Case("Is TLS 1.2 accepted?", "Yes, TLS 1.2 is accepted."),
    Case("Can I downgrade after two days?", "Yes, a downgrade is possible after two days."),
    Case(
        "Does a snapshot cost anything before files change?",
        "Yes, a snapshot costs money before files change.",
    ),
    Case(
        "Does rotation encrypt existing secrets again?",
        "Yes, rotation encrypts existing secrets again.",
    ),
    Case("Is a token shown more than once?", "Yes, the token is shown as often as you like."),
    Case("Can viewers change files?", "Yes, viewers can change files."),
]
