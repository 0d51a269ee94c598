/** Writes a record as YAML, in a thread. */
import { type JsonObject, parseJson } from '../json.ts';
import { writeYaml } from '../yaml/write.ts';

/** Yields the YAML of a canonical JSON text. */
export async function* yamlOf(json: string): AsyncGenerator<string, undefined> {
  yield writeYaml(parseJson(json) as JsonObject);
  return undefined;
}
