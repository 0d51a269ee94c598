"""A plugin of pytest that writes down the cases of LinkML's compliance suite, and runs no framework.

Every schema and object that the suite hands to its own check of a framework is a line of JSON in the file of the variable
COMPLIANCE_CASES.
"""

import json
import os

from tests.linkml.test_compliance import helper

_written = set()


def _validated_schema(test, local_name, framework, **kwargs):
    """The schema of a test, with the folder of the schemas that it imports."""
    helper.feature_dict.setdefault(
        test.__name__, helper.Feature(name=test.__name__, description=test.__doc__ or "", implementations={})
    )
    schema, _ = helper._make_schema(test, local_name, **kwargs)
    helper.schema_name_to_feature[schema["name"]] = test.__name__
    return schema


def _check_data(schema, data_name, framework, object_to_validate, valid, target_class=None, coerced=None, **_):
    case = {
        "schema": schema,
        "folder": str(helper._schema_out_path(schema)),
        "feature": helper.schema_name_to_feature[schema["name"]],
        "name": data_name,
        "class": target_class,
        "object": object_to_validate,
        "valid": bool(valid),
        "coerced": coerced,
    }
    line = json.dumps(case, sort_keys=True, default=str)
    if line in _written:
        return
    _written.add(line)
    with open(os.environ["COMPLIANCE_CASES"], "a", encoding="utf-8") as stream:
        stream.write(line + "\n")


# The tests import both by name, after this plugin is loaded.
helper.validated_schema = _validated_schema
helper.check_data = _check_data
