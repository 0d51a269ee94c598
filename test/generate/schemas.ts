/** The schemas and records that generated things are held against: ours, and those of a corpus if there is one. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { isJsonObject, type JsonObject, parseJson } from '#linkml/json.ts';
import { arbitraryRecord } from '#linkml-test/arbitrary-record.ts';
import { curated } from '../../examples/laboratory/records.ts';
import { openSchema, type Schema } from '../../src/core/schema/schema.ts';

const root = resolve(import.meta.dirname, '../..');
const CORPUS = process.env.ACCESSION_CORPUS ?? join(root, '../shared/corpus');

export type Sample = { readonly className: string; readonly record: JsonObject };

export type SampleSchema = {
  readonly name: string;
  readonly schema: Schema;
  /** Canonical records. */
  readonly valid: readonly Sample[];
  /** Objects that the check refuses. */
  readonly invalid: readonly Sample[];
};

/** All schemas, with at most so many valid and invalid records of each. */
export async function sampleSchemas(most = Number.POSITIVE_INFINITY): Promise<SampleSchema[]> {
  const folder = join(CORPUS, 'schemas');
  const others = (existsSync(folder) ? readdirSync(folder) : []).map((entry) => {
    const file = join(folder, entry);
    const name = entry.replace('.yaml', '');
    const samples = () => casesIn(join(CORPUS, 'cases', name));
    return { name, file: entry === name ? join(file, 'schema.yaml') : file, samples };
  });
  const own = [
    { name: 'laboratory', file: join(root, 'examples/laboratory/schema.yaml'), samples: laboratory },
    { name: 'turtle', file: join(root, 'packages/linkml/test/turtle.yaml'), samples: arbitrarySamples },
  ];
  return await Promise.all(
    [...own, ...others].map(async ({ name, file, samples }) => {
      const schema = await openSchema(file);
      const valid: Sample[] = [];
      const invalid: Sample[] = [];
      for (const one of samples(schema)) {
        const checked = schema.check(one.className, one.record);
        if (checked.valid) valid.push({ ...one, record: checked.record });
        else invalid.push(one);
      }
      return { name, schema, valid: valid.slice(0, most), invalid: invalid.slice(0, most) };
    }),
  );
}

function laboratory(): Sample[] {
  return curated.map(({ className, record }) => ({ className, record: record as JsonObject }));
}

function arbitrarySamples(schema: Schema): Sample[] {
  return fc
    .sample(arbitraryRecord(schema, 'Sample'), { numRuns: 100, seed: 5 })
    .map((record) => ({ className: 'Sample', record }));
}

function casesIn(folder: string): Sample[] {
  return readdirSync(folder).flatMap((file) => {
    const { class: className, input } = parseJson(readFileSync(join(folder, file), 'utf8')) as JsonObject;
    return isJsonObject(input) ? [{ className: String(className), record: input }] : [];
  });
}
