"""Sources: where documents come from, and the evidence of what is there and what is gone."""

from tether.retrieval.sources.discovery import DiscoveredSource, source_for, source_name
from tether.retrieval.sources.fetch import Fetch, Fetched, FetchRequest
from tether.retrieval.sources.file import FileSource
from tether.retrieval.sources.folder import FolderSource
from tether.retrieval.sources.folder_settings import FolderSettings
from tether.retrieval.sources.llms import LlmsTxtSource
from tether.retrieval.sources.patience import PatientFetch
from tether.retrieval.sources.site_settings import SiteSettings
from tether.retrieval.sources.sitemap import SitemapSource
from tether.retrieval.sources.url import UrlSource

__all__ = [
    "DiscoveredSource",
    "Fetch",
    "FetchRequest",
    "Fetched",
    "FileSource",
    "FolderSettings",
    "FolderSource",
    "LlmsTxtSource",
    "PatientFetch",
    "SiteSettings",
    "SitemapSource",
    "UrlSource",
    "source_for",
    "source_name",
]
