"""Judges what a service publishes, with programs of others: `publish.py KIND` reads {kind of judge: what it needs} as JSON, and writes
what the judge finds. Nothing is asked of the network but the service."""
import json
import logging
import sys
import urllib.request

import signposting
from pyshacl import validate
from rdflib import RDF, SH, Graph, Namespace
from rdflib.compare import isomorphic

logging.disable()
FDP = Namespace("https://w3id.org/fdp/fdp-o#")
PARTS = (SH.resultSeverity, SH.focusNode, SH.resultPath, SH.resultMessage)


def graph(url, media_type):
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": media_type})) as answer:
        return Graph().parse(data=answer.read(), format=media_type, publicID=url)


def catalogs(url, shapes):
    """What the shapes refuse, of each catalog and of all as one graph, and whether Turtle and JSON-LD are one graph."""
    shapes = Graph().parse(shapes)
    service = graph(url, "text/turtle")
    found = {url: service}
    for one in service.objects(None, FDP.metadataCatalog):
        found[str(one)] = graph(str(one), "text/turtle")
    whole = sum(found.values(), Graph())
    refused = {}
    for name, data in [*found.items(), ("all", whole)]:
        _, report, _ = validate(data, shacl_graph=shapes, inference="none")
        results = report.subjects(RDF.type, SH.ValidationResult)
        refused[name] = [[str(report.value(result, part)) for part in PARTS] for result in results]
    same = {url: isomorphic(data, graph(url, "application/ld+json")) for url, data in found.items()}
    return {"refused": refused, "same": same, "triples": len(whole)}


def signposts(urls):
    def targets(found):
        return sorted(str(one.target) for one in (found if hasattr(found, "__iter__") else [found] if found else []))

    kinds = {"cite-as": "citeAs", "describedby": "describedBy", "type": "types", "license": "license", "collection": "collection"}
    found = [signposting.find_signposting_http(url) for url in urls]
    return [{kind: targets(getattr(one, name)) for kind, name in kinds.items()} for one in found]


judge = {"catalogs": catalogs, "signposts": signposts}[sys.argv[1]]
json.dump(judge(**json.load(sys.stdin)), sys.stdout)
