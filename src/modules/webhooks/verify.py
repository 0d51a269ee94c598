"""Reads deliveries of webhooks as JSON, {deliveries: [{headers, body, secret, event}]}; verifies each, parses events, and writes
[type, id, pid] of each."""
import json
import sys

from cloudevents.v1.http import from_http
from standardwebhooks import Webhook

given = json.load(sys.stdin)
found = []
for one in given["deliveries"]:
    data = Webhook(one["secret"]).verify(one["body"], one["headers"])
    if one["event"]:
        event = from_http(one["headers"], one["body"])
        found.append([event["type"], event["id"], event.data["pid"]])
    else:
        found.append([data["type"], one["headers"]["webhook-id"], data["data"]["pid"]])
json.dump(found, sys.stdout)
