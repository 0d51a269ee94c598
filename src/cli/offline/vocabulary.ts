/** `accession vocabulary …`: snapshots of vocabularies in files. */
import { basename } from 'node:path';
import { openSnapshot, type Snapshot } from '#linkml/vocabularies/snapshot.ts';
import { compareSnapshots, type TermChange } from '#linkml/vocabularies/take.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { openVocabulary, takeFrom } from '../../core/schema/vocabulary-files.ts';
import { replaceFile } from '../new-file.ts';
import { PROBLEMS_FOUND, UsageError } from '../outcome.ts';
import { countText, type PrintOptions, printRows, printValue } from '../print.ts';

type SourceOptions = PrintOptions & { readonly format?: string };

/** `vocabulary add`: makes a snapshot of a source. */
export async function vocabularyAdd(
  source: string,
  { output, format, json }: SourceOptions & { readonly output: string },
): Promise<number> {
  const bytes = await takeFrom(source, { format });
  replaceFile(output, bytes);
  await printAbout(openSnapshot(bytes), json);
  return 0;
}

/** `vocabulary refresh`: takes the source of a snapshot again, and lists what changes for those who use it. */
export async function vocabularyRefresh(
  file: string,
  { from, format, dryRun, json }: SourceOptions & { readonly from?: string; readonly dryRun?: boolean },
): Promise<number> {
  const before = await openVocabulary(file);
  const bytes = await takeFrom(from ?? before.about.source, {
    format: format ?? before.about.format,
  });
  const { added, changes } = compareSnapshots(before, openSnapshot(bytes));
  await printRows(changes.map(changeRow), ['change', 'id', 'label', 'now'], json);
  if (!dryRun) replaceFile(file, bytes);
  const outcome = dryRun ? 'not written' : 'written';
  process.stderr.write(
    `${countText(added, 'new term')}, ${countText(changes.length, 'change')} of terms; ${outcome}\n`,
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
export async function vocabularyCheck(
  files: readonly string[],
  { schema, json }: PrintOptions & { readonly schema?: string },
): Promise<number> {
  const terms = await vocabulariesOf(files);
  if (schema === undefined) {
    for (const snapshot of Object.values(terms)) await printAbout(snapshot, json);
    return 0;
  }
  const { warnings } = await openSchema(schema, { terms });
  const rows = warnings.map(({ msg }) => ({ message: msg }));
  await printRows(rows, ['message'], json);
  if (rows.length === 0) process.stderr.write('the schema asks for nothing that the vocabularies lack\n');
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

async function printAbout({ about, size }: Snapshot, json?: boolean): Promise<void> {
  await printValue({ terms: size, ...about }, json);
}
