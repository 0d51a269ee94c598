/**
 * Strict checks beside Ajv with the JSON Schema that LinkML's `gen-json-schema` makes, on the records of public repositories:
 *
 *     npm run bench:beside-ajv -- [CHECKOUTS]
 *
 * CHECKOUTS (default: a folder in the temporary directory) is where the repositories are cloned, unless they are there. Only
 * records that both accept are timed. The engine also makes the canonical record of each, and Ajv does not. Times are of the
 * processor, in the thread that checks, the median of rounds in turn.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import formats from 'ajv-formats';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { SUBCLASS_OF } from '#linkml/terms/vocabulary.ts';
import { SnapshotBuilder } from '#linkml/vocabularies/build-snapshot.ts';
import { openSnapshot, type Snapshot } from '#linkml/vocabularies/snapshot.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import { openSchema, type Schema } from '../src/core/schema/schema.ts';
import { checkoutOf, checkoutsFolder } from '../test/support/checkouts.ts';
import { environmentWith } from '../test/support/python.ts';

const ROUNDS = 9;
/** Rounds before them, in which both are compiled. */
const WARM_UP = 6;
/** The least processor time of a round of one of both, in ms. */
const ROUND_MS = Number(process.env.BENCH_ROUND_MS ?? 200);

const NMDC = {
  repository: 'microbiomedata/nmdc-schema',
  schema: 'src/schema/nmdc.yaml',
  records: 'src/data/valid',
};
/** The data sets: the name of a file begins with the class of its record. */
const DATA: readonly DataSet[] = [
  { ...NMDC, name: 'nmdc Biosample', className: 'Biosample' },
  { ...NMDC, name: 'nmdc Database', className: 'Database' },
  {
    name: 'lambda-ber',
    repository: 'lambda-ber/lambda-ber-schema',
    schema: 'src/lambda_ber_schema/schema/lambda_ber_schema.yaml',
    records: 'tests/data/valid',
  },
  {
    name: 'gocam Model',
    repository: 'geneontology/gocam-py',
    schema: 'src/gocam/schema/gocam.yaml',
    records: 'tests/input',
    className: 'Model',
  },
  {
    name: 'data-sheets',
    repository: 'bridge2ai/data-sheets-schema',
    schema: 'src/data_sheets_schema/schema/data_sheets_schema.yaml',
    records: 'src/data/examples/valid',
  },
];

type DataSet = {
  readonly name: string;
  readonly repository: string;
  readonly schema: string;
  readonly records: string;
  readonly className?: string;
};

const checkouts = checkoutsFolder(process.argv[2]);
console.log('data set | records | mean bytes | ajv µs | strict µs | of the rate of ajv');
for (const data of DATA) await measure(data);

async function measure({ name, repository, schema: path, records, className }: DataSet): Promise<void> {
  const folder = checkoutOf(repository, checkouts);
  const texts = readdirSync(join(folder, records))
    .filter((file) => /\.(ya?ml|json)$/.test(file) && (!className || /^\w+/.exec(file)?.[0] === className))
    .map((file) => [/^\w*/.exec(file)![0], recordText(join(folder, records, file))] as const);
  const bare = await openSchema(join(folder, path));
  const schema = await openSchema(join(folder, path), {
    terms: await termsOf(
      bare,
      texts.map(([, text]) => text),
    ),
  });
  // LinkML's JSON Schema of NMDC has escapes that regular expressions with the flag `u` refuse.
  const ajv = new Ajv2019({ strict: false, unicodeRegExp: false });
  formats.default(ajv);
  ajv.addSchema(JSON.parse(await generated(folder, bare)) as object, 'linkml');
  const both: { ajv: () => unknown; strict: () => unknown }[] = [];
  let bytes = 0;
  for (const [of, text] of texts) {
    if (!schema.classes.has(of)) continue;
    const [plain, record] = [JSON.parse(text) as unknown, parseJson(text) as JsonObject];
    const validate = ajv.compile({ $ref: `linkml#/$defs/${of}` });
    const check = () => schema.check(of, record, { strict: true, identifiers: 'any' });
    if (!validate(plain) || !check().valid) continue;
    both.push({ ajv: () => validate(plain), strict: check });
    bytes += Buffer.byteLength(text);
  }
  const times = { ajv: [] as number[], strict: [] as number[] };
  for (let round = 0; round < WARM_UP + ROUNDS; round++)
    for (const side of ['ajv', 'strict'] as const) times[side].push(timeOf(both.map((pair) => pair[side])));
  const timeOfRecord = (all: readonly number[]) => median(all.slice(WARM_UP)) / both.length;
  const [ajvTime, strict] = [timeOfRecord(times.ajv), timeOfRecord(times.strict)];
  const figures = [both.length, Math.round(bytes / both.length), ajvTime.toFixed(2), strict.toFixed(2)];
  console.log([name, ...figures, `${(ajvTime / strict).toFixed(2)} ×`].join(' | '));
}

function recordText(file: string): string {
  return JSON.stringify(readYaml(readFileSync(file, 'utf8')));
}

/**
 * The vocabularies that the enums of a schema ask for, without which a strict check refuses: the CURIEs in the records, right
 * below the nodes that they are to be reached from.
 */
async function termsOf(schema: Schema, texts: readonly string[]): Promise<Record<string, Snapshot>> {
  const builders = new Map<string, SnapshotBuilder>();
  const enums = Object.values(
    (schema.merged().enums ?? {}) as Record<string, { reachable_from?: { source_nodes?: string[] } }>,
  );
  for (const node of enums.flatMap((one) => one.reachable_from?.source_nodes ?? [])) {
    const [prefix = ''] = node.split(':');
    const builder = builders.get(prefix) ?? new SnapshotBuilder();
    builders.set(prefix, builder);
    for (const text of texts)
      for (const [curie] of text.matchAll(new RegExp(`\\b${prefix}:\\w+`, 'g'))) {
        builder.add({ id: schema.expand(curie) ?? curie });
        builder.link(schema.expand(curie) ?? curie, SUBCLASS_OF, schema.expand(node) ?? node);
      }
  }
  const snapshots = [...builders].map(async ([prefix, builder]) => {
    return [
      prefix.toLowerCase(),
      openSnapshot(await builder.finish({ iris: [], source: prefix, format: 'csv' })),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(snapshots));
}

/**
 * The JSON Schema of LinkML's own generator, as `linkml-validate` makes it, made once. Of the schema in one file: the generator
 * does not apply settings to the patterns of imports.
 */
async function generated(folder: string, schema: Schema): Promise<string> {
  const [merged, file] = [join(folder, 'merged.yaml'), join(folder, 'merged.json-schema.json')];
  if (!existsSync(file)) {
    const environment = await environmentWith('linkml', ['linkml==1.12.1']);
    if ('missing' in environment) throw new Error(environment.missing);
    writeFileSync(merged, JSON.stringify(schema.merged()));
    const program = join(environment.venv, 'bin/gen-json-schema');
    writeFileSync(
      file,
      execFileSync(program, ['--include-range-class-descendants', merged], { maxBuffer: 2 ** 28 }),
    );
  }
  return readFileSync(file, 'utf8');
}

/** The processor time of one run of all, in µs. */
function timeOf(all: readonly (() => unknown)[]): number {
  for (let runs = 1; ; runs *= 2) {
    const start = process.threadCpuUsage();
    for (let run = 0; run < runs; run++) for (const one of all) one();
    const { user, system } = process.threadCpuUsage(start);
    if (user + system > ROUND_MS * 1000) return (user + system) / runs;
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
