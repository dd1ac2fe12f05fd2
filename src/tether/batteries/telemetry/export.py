"""Telemetry that is exported to a collector, by OTLP over HTTP. It needs `tether[otel]`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from requests import Session

from tether.batteries.telemetry.telemetry import Telemetry

SECONDS = 3.0
"""For one export with all its attempts: a collector that is down must not hold up an answer."""


@contextmanager
def exported(url: str, *, capture_content: bool = False) -> Generator[Telemetry]:
    """Yield telemetry for runners; what is left at the end of the block is sent then.

    `url` is the base address of the collector, such as `http://localhost:4318`. A failure to export
    is logged and never raised. Proxies and password files of the environment are not used.
    """
    base = url.rstrip("/")
    with Session() as session:
        session.trust_env = False
        spans = OTLPSpanExporter(endpoint=f"{base}/v1/traces", timeout=SECONDS, session=session)
        numbers = OTLPMetricExporter(
            endpoint=f"{base}/v1/metrics", timeout=SECONDS, session=session
        )
        tracing = TracerProvider(shutdown_on_exit=False)
        tracing.add_span_processor(BatchSpanProcessor(spans))
        metering = MeterProvider([PeriodicExportingMetricReader(numbers)], shutdown_on_exit=False)
        try:
            yield Telemetry(
                tracer_provider=tracing, meter_provider=metering, capture_content=capture_content
            )
        finally:
            tracing.shutdown()
            metering.shutdown()
