/** The functions of audit logs that threads run. */
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { writeYaml } from '#linkml/yaml/write.ts';
import { task } from '../../core/work/task.ts';

/** The YAML of a record in a log. */
export const yamlOf = task((json: string) => writeYaml(parseJson(json) as JsonObject));
