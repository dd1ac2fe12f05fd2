"""Records in SQL: written once, for SQLite and for PostgreSQL."""
