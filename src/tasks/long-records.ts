/** What is done with one long record, in a thread. */
import { describeChange, type RecordStep } from '../audit/describe-change.ts';
import { FORMATS } from '../formats/formats.ts';
import { type JsonObject, parseJson } from '../json.ts';
import { linksOf } from '../records/links.ts';
import { definedRecord } from '../records/record.ts';
import { writeYaml } from '../yaml/write.ts';
import { schemaOf } from './schemas.ts';

/** Records with more characters are handled in a thread. */
export const LONG_RECORD = 64 * 1024;

type OfClass = { readonly digest: string; readonly className: string; readonly json: string };

/** Yields the YAML of a canonical JSON text. */
export async function* yamlOf(json: string) {
  yield writeYaml(parseJson(json) as JsonObject);
}

/** Yields what a history says about a change. */
export async function* changeOf(step: RecordStep) {
  yield describeChange(step);
}

/** Yields the Turtle document of a record. @throws ServiceError `conversion_failed` */
export async function* turtleText({ digest, className, json }: OfClass) {
  const schema = yield* schemaOf(digest);
  yield FORMATS.ttl.serialize(json, className, schema);
}

/** Yields the references of a record. */
export async function* linksOfLong({ digest, className, json }: OfClass) {
  const schema = yield* schemaOf(digest);
  yield linksOf(schema, className, definedRecord(schema, { className, json }));
}

/** Yields the first problems that a schema has with a record. */
export async function* problemsOf({ digest, className, json, most }: OfClass & { readonly most: number }) {
  const schema = yield* schemaOf(digest);
  const checked = schema.check(className, definedRecord(schema, { className, json }));
  yield checked.valid ? [] : checked.problems.slice(0, most);
}
