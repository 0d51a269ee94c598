/**
 * Changes of schemas without a switch: the file of a schema was edited, or the configuration names another one. They take
 * effect when the collection is opened, as with dump-things-service. The service compares each schema with the one that the
 * collection had last, logs what has changed, and lists it among the schema changes.
 */
import { termsOf } from '../../core/collections/terms.ts';
import { keepSchema } from '../../core/config/kept-schemas.ts';
import { isServiceError } from '../../core/errors.ts';
import { dumpYaml } from '../../core/formats/dump-yaml.ts';
import type { Schema } from '../../core/schema/schema.ts';
import type { Reader } from '../../core/storage/reader.ts';
import type { Jobs } from '../../core/work/jobs.ts';
import { keepPlan, keptPlans, newPlan, SCHEMA_CHANGES } from '../../core/work/kept-plans.ts';
import { compareSchemas } from './compare-schemas.ts';
import { editedIdleFile } from './idle-file.ts';
import { type Changing, type SchemaChangeParts, storedSchema } from './schema-change.ts';
import type { SwitchPlan } from './switch.ts';

type EditParts = {
  readonly root: string;
  readonly registry: Pick<SchemaChangeParts['registry'], 'trySchema'> & {
    current(): { readonly collections: ReadonlyMap<string, Changing> };
    onActivate(callback: () => void): void;
  };
  readonly jobs: Jobs;
  readonly log: { warn(details: object, message: string): void };
};

/** The schema that a collection had last. */
type LastSchema = {
  readonly address: string;
  readonly digest: string;
  readonly text: string;
  /** The ids of the changes up to this one, newest first. */
  readonly changes?: readonly string[];
};

/** Changes that may come between two comparisons: they are woken by each, and wait for one another. */
const MOST_BETWEEN = 50;

/**
 * Notes the changes that are in force now, and those of each configuration that takes effect. Warns once of edited files
 * that are not in force.
 */
export function noteSchemaEdits(parts: EditParts): void {
  const { registry, jobs } = parts;
  let isStart = true;
  // One that is set again is another object.
  const noted = new WeakSet<Changing>();
  const job = jobs.add({
    name: 'compare schemas',
    async run(context) {
      for (const collection of registry.current().collections.values()) {
        if (noted.has(collection)) continue;
        if (context.stopping) return;
        await noteEdit(parts, collection);
        if (isStart) await warnOfIdleFile(parts, collection);
        noted.add(collection);
      }
      isStart = false;
    },
  });
  registry.onActivate(() => job.wake());
  job.wake();
}

async function noteEdit(parts: EditParts, collection: Changing): Promise<void> {
  const { name, database, schema, curated } = collection;
  const last = await lastSchema(database, collection);
  if (last?.digest === schema.digest) return;
  const text = textOf(schema);
  const address = storedSchema(parts.root, collection, schema.address);
  // Other terms of a vocabulary change the digest, too.
  const isEdited = last !== undefined && last.text !== text;
  const edit = isEdited ? await editOf(parts, collection, last) : undefined;
  const isNoted = await database.transact(async (draft) => {
    const now = await lastSchema(draft, collection);
    if (now?.digest !== last?.digest) return false;
    const only = { collection: name };
    const plans = await keptPlans<SwitchPlan>(draft, curated.area, SCHEMA_CHANGES, only, MOST_BETWEEN);
    // Others may have followed the switch already: this is not the newest schema then, and they are still to be compared.
    const before = new Set(last?.changes);
    const at = plans.findIndex(({ id, to }) => to.digest === schema.digest && !before.has(id));
    const changes = plans.slice(Math.max(at, 0)).map(({ id }) => id);
    const noted: LastSchema = { address, digest: schema.digest, text, changes };
    draft.run(
      `INSERT INTO accession_schema (area, collection, json) VALUES ($1, $2, $3)
       ON CONFLICT (area, collection) DO UPDATE SET json = excluded.json`,
      [curated.area.id, name, JSON.stringify(noted)],
    );
    const isSwitch = at >= 0 || plans[0]?.to.digest === schema.digest;
    if (edit && !isSwitch) keepPlan(draft, edit.plan, 'done', edit.made);
    return !isSwitch;
  });
  if (!edit || !isNoted) return;
  const facts = { collection: name, schema: schema.address, ...edit.summary };
  const advice = `accession curate faults ${name} lists records that do not fit, accession schema changes ${name} this change`;
  parts.log.warn({ ...facts, see: advice }, 'the schema was changed without a switch');
}

async function warnOfIdleFile({ root, registry, log }: EditParts, collection: Changing): Promise<void> {
  const { name, schema } = collection;
  const file = await editedIdleFile(collection, root, schema.address, (address, vocabularies) =>
    registry.trySchema({ address }, vocabularies),
  );
  if (file === undefined) return;
  const facts = { collection: name, file, in_force: schema.address };
  const see = `accession schema switch ${name} ${file}`;
  log.warn({ ...facts, see }, 'an edited schema file is not in force');
}

/** The schema that was in force when a service ran last. */
export async function lastSchema(
  reader: Pick<Reader, 'tuples'>,
  { curated, name }: Pick<Changing, 'curated' | 'name'>,
): Promise<LastSchema | undefined> {
  const [row] = await reader.tuples<[string]>(
    'SELECT json FROM accession_schema WHERE area = $1 AND collection = $2',
    [curated.area.id, name],
  );
  return row && (JSON.parse(row[0]) as LastSchema);
}

/** The file itself, or one file with all that it imports. */
function textOf(schema: Schema): string {
  return schema.files.length === 1 ? schema.text : dumpYaml(schema.merged());
}

async function editOf(parts: EditParts, collection: Changing, last: LastSchema) {
  const { schema, config } = collection;
  const plan = await newPlan('edit', collection);
  const terms = termsOf(config);
  const vocabularies = terms && { vocabularies: terms };
  const former = await formerSchema(parts, collection, last);
  const from = { address: former?.address ?? last.address, digest: former?.schema.digest ?? last.digest };
  const address = storedSchema(parts.root, collection, schema.address);
  const made: SwitchPlan = {
    id: plan.id,
    collection: plan.collection,
    time: plan.time,
    by: null,
    from: { ...from, ...vocabularies },
    to: { address, digest: schema.digest, ...vocabularies },
    records: 0,
    undoes: null,
    state: 'done',
  };
  return { plan, made, summary: former && summaryOf(former.schema, schema) };
}

/** Messages that a line of the log has. */
const MOST_MESSAGES = 5;

function summaryOf(from: Schema, to: Schema) {
  const { changes } = compareSchemas(from, to);
  const isTight = ({ effect }: { readonly effect: string }) => effect === 'tightened';
  const ordered = [...changes.filter(isTight), ...changes.filter((one) => !isTight(one))];
  const first = ordered.slice(0, MOST_MESSAGES).map(({ message }) => message);
  return { changes: changes.length, tightened: changes.filter(isTight).length, first };
}

/** The former schema, in a file of the store if other instances need not read it; undefined if it cannot be opened any more. */
async function formerSchema(
  { root, registry }: EditParts,
  collection: Changing,
  { address, text }: LastSchema,
): Promise<{ readonly schema: Schema; readonly address: string } | undefined> {
  const vocabularies = termsOf(collection.config);
  try {
    if (collection.database.dialect.name === 'postgresql')
      return { schema: await registry.trySchema({ address, text }, vocabularies), address };
    const kept = await keepSchema(root, collection.name, text);
    const schema = await registry.trySchema({ address: kept }, vocabularies);
    return { schema, address: storedSchema(root, collection, kept) };
  } catch (error) {
    if (isServiceError(error) && error.code === 'schema_invalid') return undefined;
    throw error;
  }
}
