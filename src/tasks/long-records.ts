/** What is done with one long record, in a thread. */
import { DatabaseSync } from 'node:sqlite';
import { describeChange, type RecordStep } from '../audit/describe-change.ts';
import { FORMATS } from '../formats/formats.ts';
import { canonicalJson, type JsonObject, parseJson } from '../json.ts';
import { linksOf } from '../records/links.ts';
import { definedRecord } from '../records/record.ts';
import { LONG_WAIT } from '../storage/database.ts';
import { compileLikePattern } from '../storage/matching.ts';
import { indexedValues } from '../storage/text-index.ts';
import { SignatureBuilder } from '../storage/text-signature.ts';
import { readYaml } from '../yaml/read.ts';
import { writeYaml } from '../yaml/write.ts';
import { schemaOf } from './schemas.ts';

/** Records with more characters are handled in a thread. */
export const LONG_RECORD = 64 * 1024;

type OfClass = { readonly digest: string; readonly className: string; readonly json: string };

/** Yields the YAML of a canonical JSON text. */
export async function* yamlOf(json: string) {
  yield writeYaml(parseJson(json) as JsonObject);
}

/** Yields the canonical JSON text of a YAML document. */
export async function* jsonOfYaml(yaml: string) {
  yield canonicalJson(readYaml(yaml));
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

/** Yields the signature of the texts of a record, for the index of strings. */
export async function* signatureOf(json: string) {
  const signature = new SignatureBuilder(indexedValues(json));
  signature.advance(Number.POSITIVE_INFINITY);
  yield signature.bytes;
}

/** A record in the database of an area, and a `matching` pattern. */
type StoredText = { readonly pattern: string; readonly file: string; readonly id: number };

/** Yields whether a `matching` pattern selects a record; false if it has been deleted. */
export async function* matches({ pattern, file, id }: StoredText) {
  const database = new DatabaseSync(file, { readOnly: true, timeout: LONG_WAIT });
  try {
    const row = database.prepare('SELECT object AS json FROM thing WHERE id = ?').get(id);
    yield row !== undefined && compileLikePattern(pattern).matchesRecord(row.json as string);
  } finally {
    database.close();
  }
}
