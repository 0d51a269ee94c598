/** `accession vocabulary …`: snapshots of vocabularies in files. */
import { renameSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { openSchema } from '../schema/schema.ts';
import { compareSnapshots, type TermChange } from '../vocabularies/compare.ts';
import { openVocabulary, takeFrom } from '../vocabularies/files.ts';
import { openSnapshot, type Snapshot } from '../vocabularies/snapshot.ts';
import { type Given, UsageError } from './command.ts';
import { PROBLEMS_FOUND } from './outcome.ts';
import { counted, printRows, printValue } from './print.ts';

/** `vocabulary add`: makes a snapshot of a source. */
export async function vocabularyAdd(given: Given): Promise<number> {
  const [source = ''] = given.args;
  const file = given.text('output') ?? '';
  const bytes = await takeFrom(source, given.text('format'));
  save(file, bytes);
  await printAbout(openSnapshot(bytes), given.is('json'));
  return 0;
}

/** `vocabulary refresh`: takes the source of a snapshot again, and lists what changes for those who use it. */
export async function vocabularyRefresh(given: Given): Promise<number> {
  const [file = ''] = given.args;
  const before = await openVocabulary(file);
  const source = given.text('from') ?? before.about.source;
  const bytes = await takeFrom(source, given.text('format') ?? before.about.format);
  const { added, changes } = compareSnapshots(before, openSnapshot(bytes));
  await printRows(changes.map(changeRow), ['change', 'id', 'label', 'now'], given.is('json'));
  const isDryRun = given.is('dry-run');
  if (!isDryRun) save(file, bytes);
  const outcome = isDryRun ? 'not written' : 'written';
  process.stderr.write(
    `${counted(added, 'new term')}, ${counted(changes.length, 'change')} of terms; ${outcome}\n`,
  );
  return 0;
}

function changeRow(change: TermChange): { change: string; id: string; label: string; now: string } {
  const { kind, before } = change;
  const now =
    kind === 'gone'
      ? ''
      : kind === 'obsolete'
        ? change.after.replacedBy.join(' ')
        : (change.after.label ?? '');
  return { change: kind, id: before.id, label: before.label ?? '', now };
}

/** `vocabulary check`: describes snapshots, and lists what a schema asks of them in vain. */
export async function vocabularyCheck(given: Given): Promise<number> {
  const address = given.text('schema');
  const terms = await vocabulariesOf(given.args);
  if (address === undefined) {
    for (const snapshot of Object.values(terms)) await printAbout(snapshot, given.is('json'));
    return 0;
  }
  const { warnings } = await openSchema(address, { terms });
  const rows = warnings.map((message) => ({ message }));
  await printRows(rows, ['message'], given.is('json'));
  return rows.length > 0 ? PROBLEMS_FOUND : 0;
}

/** Vocabularies given as `NAME=FILE`, or as a file that has the name. */
export async function vocabulariesOf(given: readonly string[]): Promise<Record<string, Snapshot>> {
  const terms: Record<string, Snapshot> = {};
  for (const one of given) {
    const [, name, file = one] = /^([\w.-]+)=(.*)$/s.exec(one) ?? [];
    if (file === '') throw new UsageError(`A vocabulary is NAME=FILE, found '${one}'.`);
    terms[name ?? basename(file).replace(/\..*$/, '')] = await openVocabulary(file);
  }
  return terms;
}

/** Writes beside the file first, so that a reader never sees half of it. */
function save(file: string, bytes: Uint8Array): void {
  writeFileSync(`${file}.new`, bytes);
  renameSync(`${file}.new`, file);
}

async function printAbout({ about, size }: Snapshot, json: boolean): Promise<void> {
  await printValue({ terms: size, ...about }, json);
}
