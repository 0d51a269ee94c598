/**
 * Measures the LinkML engine: `npm run bench:schema -- [schema] [class record.json]`.
 *
 * Without arguments it opens the schema of the examples. A schema is opened in this process, cold once and then warm;
 * records are checked one by one on one core.
 */
import { existsSync, readFileSync } from 'node:fs';
import { type JsonObject, parseJson } from '../src/json.ts';
import { openSchema, type Schema } from '../src/schema/schema.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);

/** A record of five slots, of a schema made for it. */
const FIVE_SLOTS = new URL('./five-slots.yaml', import.meta.url).pathname;
const FIVE_SLOT_RECORD: JsonObject = {
  pid: 'ex:one',
  name: 'A name',
  size: 12,
  ratio: 0.25,
  made_on: '2024-02-29',
};

const [address = 'examples/laboratory.yaml', className, recordPath] = process.argv.slice(2);
if (existsSync(address)) await measure(address, className, recordPath);
else console.log(`${address}: no such file`);
await measure(FIVE_SLOTS, 'Sample');

async function measure(path: string, named?: string, from?: string): Promise<void> {
  const before = performance.now();
  const schema = await openSchema(path);
  const cold = performance.now() - before;
  let opened = 0;
  const end = performance.now() + SECONDS * 1000;
  while (performance.now() < end) {
    await openSchema(path);
    opened++;
  }
  console.log(
    `${path}: ${schema.classes.size} classes, opened in ${cold.toFixed(0)} ms cold, ${(opened / SECONDS).toFixed(1)} a second warm`,
  );
  checks(schema, named, from);
}

function checks(schema: Schema, named: string | undefined, from: string | undefined): void {
  const className = named ?? schema.recordClasses[0];
  const record =
    from === undefined ? FIVE_SLOT_RECORD : (parseJson(readFileSync(from, 'utf8')) as JsonObject);
  if (className === undefined) return;
  const verdict = schema.check(className, record);
  let checked = 0;
  const start = performance.now();
  while (performance.now() - start < SECONDS * 1000) {
    for (let i = 0; i < 1000; i++) schema.check(className, record);
    checked += 1000;
  }
  const rate = checked / ((performance.now() - start) / 1000);
  console.log(
    `  ${className}, ${Object.keys(record).length} slots, ${verdict.valid ? 'valid' : 'invalid'}: ${Math.round(rate)} checks a second`,
  );
}
