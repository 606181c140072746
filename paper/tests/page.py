"""Text and links of an HTML page or a PDF, for tests."""

import base64
import json
import re
import subprocess
import zlib
from html.parser import HTMLParser

LOADING = {"src", "srcset", "data", "poster"}


def unpacked(page):
    """A frame's page, as page.html unpacks it."""
    return zlib.decompress(base64.b64decode(page)).decode()


def spaced(text):
    """Runs of white space, and spaces that do not break, made one space."""
    return re.sub(r"\s+", " ", text.replace("\xa0", " "))


class Page(HTMLParser):
    """An HTML page's visible text, its tables, its links' targets, and what a browser would fetch.

    A table is a list of rows, each a list of its cells' texts; the header comes first. `files` has
    the tables that show rows of a file of results/, each with the file's name; `traces` the time
    series of cells, a list a study.
    """

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.targets, self.fetched, self.alternatives = [], [], []
        self.frames, self.traces, self.tables, self.files = [], [], [], []
        self.identifiers = set()
        self._file = ""
        self._in_cell = self._hidden = False
        self._parts = []
        self.feed(path.read_text(encoding="utf-8"))
        self.text = spaced("".join(self._parts))

    def handle_starttag(self, tag, attrs):
        values = {name: value or "" for name, value in attrs}
        self._hidden = tag in ("script", "style")
        self.identifiers.add(values.get("id", ""))
        if tag == "a":
            self.targets.append(values.get("href", ""))
        if tag == "img":
            self.alternatives.append(values.get("alt", ""))
        if tag == "figure":
            self._file = values.get("data-file", "")
        if tag == "table":
            self.tables.append([])
            if self._file:
                self.files.append((self._file, self.tables[-1]))
        if tag == "tr" and self.tables:
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self._in_cell = True
            self.tables[-1][-1].append("")
        if tag == "iframe":
            self.frames.append(unpacked(values.get("data-page", "")))
        if "data-traces" in values:
            self.traces.append(json.loads(unpacked(values["data-traces"])))
        loaded = [value for name, value in values.items() if name in LOADING]
        loaded += [values.get("href", "")] if tag == "link" else []
        self.fetched += [value for value in loaded if not value.startswith("data:")]

    def handle_endtag(self, tag):
        self._hidden = False
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data):
        if not self._hidden:
            self._parts.append(data)
        if self._in_cell:
            row = self.tables[-1][-1]
            row[-1] = spaced(row[-1] + data)


def pdf_text(pdf):
    """A PDF's words."""
    out = subprocess.run(["pdftotext", pdf, "-"], capture_output=True, text=True, check=True)
    return spaced(out.stdout)
