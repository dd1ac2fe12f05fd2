"""Access to the web through one door, which opens only to listed and public places."""

from tether.batteries.web.access import HttpReader, WebAccess
from tether.batteries.web.response import Page, WebResponse

__all__ = ["HttpReader", "Page", "WebAccess", "WebResponse"]
