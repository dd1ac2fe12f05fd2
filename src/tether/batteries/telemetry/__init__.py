"""OpenTelemetry spans and metrics from the observability bus."""

from tether.batteries.telemetry.telemetry import Telemetry

__all__ = ["Telemetry"]
