"""Prints, for each case of a file, which of Python's validators accept its object: one JSON array of rows."""
import json
import sys
import types
import warnings

import yaml

warnings.filterwarnings("ignore")

from linkml.generators.pydanticgen import PydanticGenerator
from linkml.generators.pythongen import PythonGenerator
from linkml.validator import Validator
from linkml.validator.plugins import JsonschemaValidationPlugin
from linkml_runtime.loaders import json_loader


def compiled(name, source):
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, name, "exec"), module.__dict__)
    return module


def accepts(attempt):
    try:
        attempt()
    except Exception:
        return False
    return True


schema, cases = sys.argv[1:]
models = compiled("models", PydanticGenerator(schema).serialize())
dataclasses = compiled("dataclasses_of_schema", PythonGenerator(schema).serialize())
plugin = Validator(schema, validation_plugins=[JsonschemaValidationPlugin(closed=True)])

rows = []
for case in yaml.safe_load(open(cases)):
    name, value = case["class"], case["object"]
    rows.append(
        [
            not plugin.validate(value, name).results,
            accepts(lambda: getattr(models, name)(**value)),
            accepts(lambda: json_loader.loads(json.dumps(value), getattr(dataclasses, name))),
        ]
    )
print(json.dumps(rows))
