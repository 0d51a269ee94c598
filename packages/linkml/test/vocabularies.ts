/** Small vocabularies: a graph of cells, a thesaurus of materials, a table of methods. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { openSnapshot, type Snapshot } from '../src/vocabularies/snapshot.ts';
import { takeSnapshot } from '../src/vocabularies/take.ts';

const FILES = { cl: 'cells.json', materials: 'materials.ttl', methods: 'methods.csv' };

/** The file of a vocabulary. */
export function vocabularyFile(name: keyof typeof FILES): string {
  return resolve(import.meta.dirname, 'vocabularies', FILES[name]);
}

/** The snapshot of a file, opened. */
export async function snapshotOf(file: string): Promise<Snapshot> {
  return openSnapshot(await takeSnapshot(createReadStream(file), { source: file }));
}

/** All three, as the library takes them. */
export async function smallVocabularies(): Promise<Record<keyof typeof FILES, Snapshot>> {
  const [cl, materials, methods] = await Promise.all(
    (['cl', 'materials', 'methods'] as const).map((name) => snapshotOf(vocabularyFile(name))),
  );
  return { cl: cl!, materials: materials!, methods: methods! };
}
