"""Reads a JUnit file with junitparser, and renders Markdown as GitHub does."""

import sys
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options
from junitparser import Error, Failure, JUnitXml


def junit(path: str) -> None:
    suites = {suite.name: suite for suite in JUnitXml.fromfile(path)}
    assert {"gpu01", "leaf1", "leaf2", "spine2", "fabric"} <= set(suites), list(suites)
    leaf = suites["leaf2"]
    of = lambda kind: {c.name for c in leaf if any(isinstance(r, kind) for r in c.result)}
    assert of(Failure) == {"map/dscp", "path/lossless"}, of(Failure)
    assert of(Error) == {"config/unparsed"}, of(Error)
    assert leaf.tests == len(list(leaf)), (leaf.tests, len(list(leaf)))
    assert suites["gpu01"].failures == 0


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("href", "src")]


def markdown(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        html = cmarkgfm.github_flavored_markdown_to_html(
            file.read(), Options.CMARK_OPT_UNSAFE
        )
    seen = Tags()
    seen.feed(html)
    assert seen.tags.count("table") == 1 and seen.tags.count("details") == 1, html
    assert seen.tags.count("tr") > 5, html
    assert not {"script", "img", "a"} & set(seen.tags), html
    assert not seen.links, seen.links


junit(sys.argv[1])
markdown(sys.argv[2])
