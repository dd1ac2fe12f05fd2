"""JSON and JSON5, read strictly and within limits, and JSONPath queries."""
