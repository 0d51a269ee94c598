/** Enums and bindings of vocabularies beside `linkml-term-validator`, on records that are made of terms at random. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { JsonObject, JsonValue } from '#linkml/json.ts';
import { openLinkml } from '#linkml/linkml.ts';
import { SUBCLASS_OF, type Term } from '#linkml/terms/vocabulary.ts';
import type { Snapshot } from '#linkml/vocabularies/snapshot.ts';
import { smallVocabularies } from '#linkml-test/vocabularies.ts';
import { environmentWith } from '../support/python.ts';

const run = promisify(execFile);
const found = await environmentWith('term-validator', ['linkml-term-validator==0.4.5']);
const skip = 'missing' in found ? `linkml-term-validator is not installed: ${found.missing}` : false;

const SCHEMA = join(import.meta.dirname, 'validators/terms.yaml');
const RECORDS = 2_000;

/** The slots on which the verdicts differ: docs/vocabularies.md has the reasons. */
const DIFFER = new Set('direct matching everything heirWithout labeled iri deepValue path advice'.split(' '));

const terms = await smallVocabularies();
const NAMESPACES = { 'http://purl.obolibrary.org/obo/': '', 'https://example.org/materials/': 'MAT:' };

function curie(id: string): string {
  for (const [start, prefix] of Object.entries(NAMESPACES))
    if (id.startsWith(start)) return prefix + id.slice(start.length).replace('_', ':');
  return id;
}

/** A snapshot as OBO, which the Python tools read without a network. */
function oboText(name: string, snapshot: Snapshot): string {
  const stanza = (term: Term) => {
    const links = snapshot.parents(term.id).map(({ relation, id }) => {
      const isHierarchy = relation === SUBCLASS_OF || relation.endsWith('#broader');
      return isHierarchy ? `is_a: ${curie(id)}` : `relationship: ${curie(relation)} ${curie(id)}`;
    });
    const obsolete = term.obsolete ? ['is_obsolete: true'] : [];
    return ['[Term]', `id: ${curie(term.id)}`, `name: ${term.label}`, ...links, ...obsolete, ''].join('\n');
  };
  return `format-version: 1.4\nontology: ${name}\n\n${[...snapshot.all()].map(stanza).join('\n')}`;
}

/** The same sequence for every run. */
function choices(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return { of: <T>(members: readonly T[]): T => members[Math.floor(next() * members.length)]!, next };
}

test('verdicts are those of linkml-term-validator, but for the differences that are documented', {
  skip,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-terms-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, snapshot] of Object.entries(terms))
    writeFileSync(join(folder, `${name}.obo`), oboText(name, snapshot));
  const schema = await openLinkml(readFileSync(SCHEMA, 'utf8'), { terms });
  const all = Object.values(terms).flatMap((snapshot) => [...snapshot.all()]);
  const { of, next } = choices(39);
  const written = (term: Term): string => curie(term.id);
  const neurons = all.filter(({ label }) => label?.includes('neuron'));
  const pools = [neurons, ...Object.values(terms).map((snapshot) => [...snapshot.all()])];
  const others = ['other', 'none', 'unknown', 'glia', 'CL:9999999', 'MAT:gold', 'astrocyte'];
  const value = (pool = of(pools)): string => (next() < 0.9 ? written(of(pool)) : of(others));
  const object = (id: string, label: string, pool = of(pools)): JsonObject => {
    const code = value(pool);
    const right = all.find((one) => written(one) === code)?.label ?? 'x';
    const texts = [right, right, right.toUpperCase(), right.replace(' ', '-'), of(all).label ?? 'x'];
    return { ...(next() < 0.95 && { [id]: code }), ...(next() < 0.8 && { [label]: of(texts) }) };
  };
  const holder = (): JsonObject => ({
    ...(next() < 0.8 && { term: object('id', 'label') }),
  });
  const makers: Record<string, () => JsonValue> = {
    several: () => [value(neurons), value(neurons)],
    bound: () => object('id', 'label'),
    boundMetal: () => object('code', 'name'),
    boundList: () => [1, 2].map(() => object('id', 'label', [...terms.methods.all()])),
    boundStatic: () => object('id', 'label'),
    demanded: () => object('id', 'label'),
    holder,
    path: holder,
    advice: () => object('id', 'label'),
    deepValue: () => ({ value: value() }),
    iri: () => of([...terms.cl.all()]).id,
    labeled: () => of(all).label ?? 'x',
  };
  const slots = [...schema.classes.get('Item')!.slots.keys()];
  const records = Array.from({ length: RECORDS }, (): JsonObject => {
    const slot = of(slots);
    return { [slot]: (makers[slot] ?? value)() };
  });
  const file = join(folder, 'records.json');
  writeFileSync(file, JSON.stringify(records));
  const python = join('venv' in found ? found.venv : '', 'bin/python');
  const { stdout } = await run(
    python,
    [join(import.meta.dirname, 'validators/terms.py'), SCHEMA, folder, file],
    {
      maxBuffer: 1e8,
    },
  );
  const theirs = JSON.parse(stdout.trim().split('\n').at(-1)!) as boolean[];
  assert.equal(theirs.length, RECORDS);
  const tally = new Map<string, { accepted: number; refused: number; differ: number }>();
  const differences: string[] = [];
  for (const [index, record] of records.entries()) {
    const own = schema.check('Item', record);
    const [slot = ''] = Object.keys(record);
    const row = tally.get(slot) ?? { accepted: 0, refused: 0, differ: 0 };
    tally.set(slot, row);
    row[own.valid ? 'accepted' : 'refused'] += 1;
    if (own.valid === theirs[index]) continue;
    row.differ += 1;
    const why = own.valid ? 'accepted' : own.problems[0]?.msg;
    if (!DIFFER.has(slot)) differences.push(`${JSON.stringify(record)}: ${why}`);
  }
  assert.deepEqual(differences, []);
  for (const slot of slots) {
    const { accepted, refused, differ } = tally.get(slot)!;
    t.diagnostic(`${slot}: ${accepted} accepted, ${refused} refused, ${differ} differ`);
    assert.ok(accepted > 0 && refused + differ > 0, `${slot} is judged both ways`);
    assert.equal(differ > 0, DIFFER.has(slot), `${slot} differs`);
  }
});
