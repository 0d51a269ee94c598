"""Holds graphs against SHACL shapes with pyshacl: reads {shapes, graphs} as JSON, writes a list of reports, null if a graph conforms."""
import json
import logging
import sys
import warnings

from pyshacl import validate
from rdflib import Graph

# rdflib reports ill-typed literals, which mutants have on purpose.
logging.disable()
warnings.simplefilter("ignore")

given = json.load(sys.stdin)
shapes = Graph().parse(data=given["shapes"], format="turtle")


def report(turtle):
    graph = Graph().parse(data=turtle, format="turtle")
    conforms, _, text = validate(graph, shacl_graph=shapes, inference="none")
    return None if conforms else text


json.dump([report(turtle) for turtle in given["graphs"]], sys.stdout)
