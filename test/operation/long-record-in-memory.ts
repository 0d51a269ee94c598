/** Writes a record with 2 million values as canonical JSON and as YAML. It is run with little memory. */
import { canonicalJson, type JsonObject, parseJson } from '#linkml/json.ts';
import { writeYaml } from '#linkml/yaml/write.ts';

const text = `{"pid":"ex:a","tags":[${'"a",'.repeat(2_000_000)}"b"]}`;
const lengthOf = (write: (record: JsonObject) => string) => write(parseJson(text) as JsonObject).length;
console.log(lengthOf(canonicalJson), lengthOf(writeYaml));
