"""Prints for each record of a JSON file whether linkml-term-validator finds nothing against it: one JSON array."""
import json
import sys
import warnings

import yaml

warnings.filterwarnings("ignore")

from linkml.validator import Validator
from linkml_term_validator.plugins import BindingValidationPlugin, DynamicEnumPlugin

schema, folder, records = sys.argv[1:]
adapters = {"CL": "cl", "UBERON": "cl", "MAT": "materials", "METHOD": "methods"}
config = f"{folder}/oak.yaml"
with open(config, "w") as file:
    yaml.safe_dump(
        {"ontology_adapters": {prefix: f"simpleobo:{folder}/{name}.obo" for prefix, name in adapters.items()}}, file
    )
options = {
    "oak_config_path": config,
    "cache_labels": False,
    "cache_enum_expansions": False,
    "cache_dir": f"{folder}/cache",
    "cache_strategy": "greedy",
}
plugins = [DynamicEnumPlugin(**options), BindingValidationPlugin(**options)]
validator = Validator(schema, validation_plugins=plugins)
print(json.dumps([not validator.validate(record, "Item").results for record in json.load(open(records))]))
