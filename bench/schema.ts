/**
 * Measures the LinkML engine: `npm run bench:schema -- [schema [class record.json]]`.
 *
 * A schema is opened in this process, cold once and then warm; records are checked one by one on one core. A record of
 * five slots is always checked, against a schema made for it.
 */
import { readFileSync } from 'node:fs';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { openSchema, type Schema } from '../src/core/schema/schema.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const FIVE_SLOTS = new URL('./five-slots.yaml', import.meta.url).pathname;
const FIVE_SLOT_RECORD: JsonObject = {
  pid: 'ex:one',
  name: 'A name',
  size: 12,
  ratio: 0.25,
  made_on: '2024-02-29',
};

const [address = 'examples/laboratory/schema.yaml', className, recordPath] = process.argv.slice(2);
const schema = await measureOpening(address);
if (className !== undefined && recordPath !== undefined)
  measureChecks(schema, className, parseJson(readFileSync(recordPath, 'utf8')) as JsonObject);
measureChecks(await openSchema(FIVE_SLOTS), 'Sample', FIVE_SLOT_RECORD);

async function measureOpening(path: string): Promise<Schema> {
  const before = performance.now();
  const opened = await openSchema(path);
  const cold = performance.now() - before;
  let times = 0;
  const start = performance.now();
  while (performance.now() - start < SECONDS * 1000) {
    await openSchema(path);
    times++;
  }
  const warm = (performance.now() - start) / times;
  console.log(
    `${path}: ${opened.classes.size} classes, opened in ${cold.toFixed(0)} ms cold, ${warm.toFixed(0)} ms warm (${(1000 / warm).toFixed(1)} a second)`,
  );
  return opened;
}

function measureChecks(opened: Schema, name: string, record: JsonObject): void {
  const { valid } = opened.check(name, record);
  let checked = 0;
  const start = performance.now();
  while (performance.now() - start < SECONDS * 1000) {
    for (let i = 0; i < 1000; i++) opened.check(name, record);
    checked += 1000;
  }
  const rate = checked / ((performance.now() - start) / 1000);
  const slots = Object.keys(record).length;
  console.log(`${name}, ${slots} slots, ${valid ? 'valid' : 'invalid'}: ${Math.round(rate)} checks a second`);
}
