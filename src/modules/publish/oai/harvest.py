"""Harvests a list with two clients, fully and incrementally: `harvest.py URL TOKEN`. Each line of the input asks for a harvest;
the answer is the state of each client as JSON, by identifier the title."""
import json
import sys

from oaipmh_scythe import HTTPConfig, Scythe
from oaipmh_scythe.exceptions import NoRecordsMatch as NothingForScythe
from sickle import Sickle
from sickle.oaiexceptions import NoRecordsMatch as NothingForSickle

url, token = sys.argv[1:]
TITLE = ".//{http://purl.org/dc/elements/1.1/}title"


def authorized(request):
    request.headers["X-Service-Token"] = token
    return request


def by_sickle(since):
    more = {"from": since} if since else {}
    yield from Sickle(url, headers={"X-Service-Token": token}).ListRecords(metadataPrefix="oai_dc", **more)


def by_scythe(since):
    with Scythe(url, http_config=HTTPConfig(http_method="POST", auth=authorized)) as scythe:
        yield from scythe.list_records(metadata_prefix="oai_dc", from_=since)


class Copy:
    def __init__(self, client):
        self.client = client
        self.records = {}
        self.since = None

    def harvest(self):
        try:
            for record in self.client(self.since):
                header = record.header
                self.since = max(self.since or "", header.datestamp)
                if header.deleted:
                    self.records.pop(header.identifier, None)
                else:
                    self.records[header.identifier] = record.xml.find(TITLE).text
        except (NothingForScythe, NothingForSickle):
            pass
        return self.records


copies = [Copy(by_sickle), Copy(by_scythe)]
for _ in sys.stdin:
    print(json.dumps([copy.harvest() for copy in copies]), flush=True)
