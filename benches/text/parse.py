"""Parses each file with one library and prints the seconds of the shortest
of some rounds: parse.py LIBRARY FILE..."""

import sys
import time


def reader(library):
    if library == "hier_config":
        from hier_config import Platform, get_hconfig_fast_load

        return lambda text: get_hconfig_fast_load(Platform.CISCO_NXOS, text)
    from ciscoconfparse2 import CiscoConfParse

    return lambda text: CiscoConfParse(text.splitlines(), syntax="ios")


def main():
    library, files = sys.argv[1], sys.argv[2:]
    read = reader(library)
    texts = []
    for file in files:
        with open(file, encoding="utf-8", errors="replace") as opened:
            texts.append(opened.read())
    best = float("inf")
    for _ in range(3):
        begun = time.perf_counter()
        for text in texts:
            read(text)
        best = min(best, time.perf_counter() - begun)
    print(best)


main()
