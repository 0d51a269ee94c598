/**
 * Checks the cases of LinkML's own compliance suite:
 *
 *     npm run compliance -- [CHECKOUTS]
 *
 * CHECKOUTS (default: a folder in the temporary directory) is where the repository of LinkML is cloned, unless it is there. The
 * suite runs in pytest with a plugin (`compliance/record.py`) that writes down every schema and object instead of handing them
 * to a generator. A case passes if a strict check accepts a valid object or refuses an invalid one, or if the check
 * that converts values makes the object that the suite expects of frameworks that convert.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#linkml/json.ts';
import { type LinkmlSchema, openLinkml } from '#linkml/linkml.ts';
import { schemaLoader } from '../src/core/schema/remote.ts';
import { checkoutOf, checkoutsFolder } from '../test/support/checkouts.ts';
import { environmentWith } from '../test/support/python.ts';

/** The frameworks that say most of an object; the others see the same objects. */
const FRAMEWORKS = 'jsonschema or pydantic or python_dataclasses';
const PACKAGES = ['linkml==1.12.1', 'pytest', 'pandera', 'polars', 'testcontainers', 'requests-cache'];

type Case = {
  readonly schema: JsonObject;
  /** The folder of the schemas that it imports. */
  readonly folder: string;
  readonly feature: string;
  readonly name: string;
  readonly class: string;
  readonly object: JsonObject;
  readonly valid: boolean;
  /** The object that a framework may make of it. */
  readonly coerced: JsonObject | null;
};

/** Why the engine decides otherwise, by the schema or its feature. */
const DECIDED: Readonly<Record<string, string>> = {
  test_equals_string: 'a string is not of the range `integer`; Pydantic classes do not check the range',
  test_equals_string_in: 'the same',
  'test_slot_boolean_with_expressions-mixed':
    'no branch of `any_of` accepts the value; the frameworks ignore `equals_string` there',
  'test_classification_rules-default': 'classification rules do not change the class of an object',
  'test_date_types-date': 'the loaders of the Python tools refuse dates with a time zone',
  'test_date_types-datetime': 'the loaders of the Python tools accept a date as its midnight',
  'test_ifabsent-incompat_string':
    'a default of another type is a warning, and only applies to objects without a value',
  'test_ifabsent-incompat_bool': 'the same',
  'test_ifabsent-incompat_float': 'the same',
  'test_mixins-default': 'classes are refused if they are abstract, not if they are mixins',
  'test_jsonpointer-default': 'a JSON pointer (RFC 6901) does not begin with #',
  'test_pattern-full_match_int': 'patterns are of strings; a number has none',
  'test_id_prefix-default': '`id_prefixes` are a recommendation',
  'test_unique_keys-NIEFalse': 'with `consider_nulls_inequal: false`, two objects without a value are equal',
  'test_nested_key-is_localFalse':
    'identifiers are compared with `identifiers: resolve`, as the service does',
};

const cases = await recordedCases(checkoutOf('linkml/linkml', checkoutsFolder(process.argv[2])));
const failures: string[] = [];
for (const one of cases) {
  const reason = await failureOf(one);
  const name = one.schema.name as string;
  if (reason !== undefined)
    failures.push(
      [name, one.name, reason, DECIDED[name] ?? DECIDED[one.feature] ?? 'not decided'].join(' | '),
    );
}
for (const failure of failures) console.log(failure);
console.log(`${cases.length - failures.length} passed, ${failures.length} failed`);

/** Runs the suite with the plugin. */
async function recordedCases(folder: string): Promise<Case[]> {
  const environment = await environmentWith('linkml-compliance', PACKAGES);
  if ('missing' in environment) throw new Error(environment.missing);
  const output = mkdtempSync(join(tmpdir(), 'accession-compliance-'));
  const file = join(output, 'cases.jsonl');
  try {
    const options = ['-q', '-p', 'record', '-p', 'no:cacheprovider', '--override-ini', 'addopts='];
    execFileSync(
      join(environment.venv, 'bin/python'),
      ['-m', 'pytest', ...options, '-k', FRAMEWORKS, 'tests/linkml/test_compliance'],
      {
        cwd: folder,
        env: {
          ...process.env,
          PYTHONPATH: `${join(import.meta.dirname, 'compliance')}:${folder}`,
          COMPLIANCE_CASES: file,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Case);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

/** Why a case fails; undefined if it passes. */
async function failureOf({
  schema: source,
  folder,
  class: name,
  object,
  ...one
}: Case): Promise<string | undefined> {
  let schema: LinkmlSchema;
  try {
    const url = new URL(`file://${folder}/schema.yaml`);
    schema = await openLinkml(source, { url, load: schemaLoader({}) });
  } catch (error) {
    // A schema that contradicts itself has no valid objects.
    return one.valid ? `the schema is refused: ${(error as Error).message}` : undefined;
  }
  const className = schema.classes.has(name)
    ? name
    : [...schema.classes.values()].find(({ schemaName }) => schemaName === name)?.name;
  const strict = schema.check(className ?? name, object, { strict: true });
  if (strict.valid === one.valid) return undefined;
  const converted = schema.check(className ?? name, object);
  if (one.coerced && converted.valid && isDeepStrictEqual(plain(converted.record), plain(one.coerced)))
    return undefined;
  if (strict.valid) return 'accepted, expected to be refused';
  return `${converted.valid ? 'refused if strict' : 'refused'}: ${strict.problems.map(({ msg }) => msg).join(' ')}`;
}

function plain(value: JsonObject): unknown {
  return JSON.parse(JSON.stringify(value));
}
