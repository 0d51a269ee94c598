/** Any JSON as YAML for people: keys in their order, long lines as they are. Records are written by `write.ts`. */
import { stringify } from 'yaml';

/** The text of a value. Scalars that YAML 1.1 would read as something else are quoted. */
export function dumpYaml(value: object): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
}
