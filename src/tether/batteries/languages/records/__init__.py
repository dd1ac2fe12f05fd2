"""Tables and YAML: CSV and other delimited text, and YAML as plain data."""
