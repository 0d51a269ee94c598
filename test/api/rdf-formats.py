"""Compares graphs with rdflib: each line of the input has {ttl, nq, jsonld} of one record; writes how many differ, and the
first of them."""
import json
import logging
import sys

from rdflib import BNode, Dataset, Graph, Literal
from rdflib.compare import to_canonical_graph

logging.disable()


def triples(data, media_type):
    graph = Dataset() if media_type == "application/n-quads" else Graph()
    graph.parse(data=data, format=media_type)
    plain = Graph()
    for subject, predicate, value, *_ in graph.quads() if isinstance(graph, Dataset) else graph:
        plain.add((subject, predicate, value))
    return set(to_canonical_graph(plain))


differ = []
compared = 0
for line in sys.stdin:
    given = json.loads(line)
    ttl = triples(given["ttl"], "text/turtle")
    for format, media_type in (("nq", "application/n-quads"), ("jsonld", "application/ld+json")):
        other = triples(given[format], media_type)
        if other != ttl:
            differ.append({"format": format, "only": [str(one) for one in other ^ ttl][:6], **given})
    compared += 1
json.dump({"compared": compared, "differ": len(differ), "first": differ[:3]}, sys.stdout)
