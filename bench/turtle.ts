/**
 * What Turtle costs: a page of 50 records as Turtle against the same page as JSON, and reading one record.
 *
 *     npm run bench:turtle
 */
import { resolve } from 'node:path';
import { canonicalJson, type JsonObject } from '#linkml/json.ts';
import { FORMATS } from '../src/core/formats/formats.ts';
import { openSchema } from '../src/core/schema/schema.ts';

const PAGE = 50;
const { json, ttl } = FORMATS;

const schema = await openSchema(resolve(import.meta.dirname, '../packages/linkml/test/turtle.yaml'));
const page = Array.from({ length: PAGE }, (_, i) => canonicalJson(record(i)));
const documents = page.map((text) => ttl.serialize(text, 'Sample', schema));

/** A record of the size that records of research data have: a dozen slots, references, and a few inlined objects. */
function record(i: number): JsonObject {
  return {
    pid: `ex:sample-${i}`,
    schema_type: 't:Sample',
    title: `Sample number ${i}`,
    note: 'Taken from the "northern" site, kept cool,\nand measured twice.',
    labels: ['penguin', 'blood', `batch ${i % 7}`],
    size: i,
    weight: 1.5 + i,
    day: '2024-02-29',
    colour: 'red',
    link: `https://accession.invalid/data/${i}/file.csv`,
    links: [`ex:a${i}`, `https://other.invalid/${i}`],
    owner: `ex:person-${i % 5}`,
    spots: [{ x: i, deeper: { x: 1 } }, { x: i + 1 }],
    settings: { speed: { key: 'speed', value: 'high', rank: 1 }, power: { key: 'power', value: 'low' } },
    parts: [{ pid: `ex:part-${i}`, label: 'cap' }],
  };
}

/** The best of many rounds, in microseconds: others may be using the machine. */
function measure(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 300; round++) {
    const start = performance.now();
    for (let i = 0; i < 5; i++) work();
    best = Math.min(best, (performance.now() - start) / 5);
  }
  return best * 1000;
}

const asJson = measure(() => `[${page.map((text) => json.serialize(text)).join(',')}]`);
const asParsedJson = measure(() => JSON.stringify(page.map((text) => JSON.parse(text))));
const asTurtle = measure(() => JSON.stringify(page.map((text) => ttl.serialize(text, 'Sample', schema))));
const cached = measure(() => JSON.stringify(documents));
const reading = measure(() => documents.map((text) => ttl.parse(text, 'Sample', schema))) / PAGE;
const readingJson = measure(() => page.map((text) => json.parse(text))) / PAGE;

function row(what: string, microseconds: number): string {
  return `${what.padEnd(58)} ${microseconds.toFixed(1).padStart(10)} µs`;
}

console.log(row(`a page of ${PAGE} as JSON, texts passed on`, asJson));
console.log(row(`a page of ${PAGE} as JSON, parsed and written again`, asParsedJson));
console.log(row(`a page of ${PAGE} as Turtle, written`, asTurtle));
console.log(row(`a page of ${PAGE} as Turtle, documents at hand`, cached));
console.log(row('reading one record from JSON', readingJson));
console.log(row('reading one record from Turtle', reading));
