"""Reading the web: one door, through which only listed and public places can be reached."""

from tether.batteries.web.access import WebAccess
from tether.batteries.web.media import HttpReader
from tether.batteries.web.page import Page
from tether.batteries.web.response import WebResponse

__all__ = ["HttpReader", "Page", "WebAccess", "WebResponse"]
