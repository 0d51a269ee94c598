/** Schemas in threads: each opens one when it is first needed, from the files that the service has read. */

import { openSchemaText, type Schema } from '../schema/schema.ts';
import type { Conversation, Moved, Threads } from '../work/threads.ts';

/** The files of a schema. */
type SchemaFiles = Pick<Schema, 'address' | 'text' | 'sources'>;

/** Asks for the files of the schema, in place of a result. */
const WANTED = 'schema';
/** Schemas that a thread has ready. */
const MOST_SCHEMAS = 4;
const knownSchemas = new Map<string, Schema>();

/** The schema of a digest, in a thread. Nothing is read again, which could have changed. */
export async function* schemaOf(digest: string): AsyncGenerator<typeof WANTED, Schema, SchemaFiles> {
  const known = knownSchemas.get(digest);
  if (known) return known;
  const { address, text, sources } = yield WANTED;
  const schema = await openSchemaText(text, address, { sources });
  const [oldest] = knownSchemas.keys();
  if (knownSchemas.size >= MOST_SCHEMAS && oldest !== undefined) knownSchemas.delete(oldest);
  knownSchemas.set(digest, schema);
  return schema;
}

/** Runs a task that needs a schema: sends it if the thread asks for it, and yields the results. */
export async function* runWithSchema<T>(
  threads: Threads,
  { digest, address, text, sources }: Schema,
  task: string,
  input: object,
  moved: Moved = [],
): AsyncGenerator<T, void> {
  const conversation: Conversation = threads.run(task, { ...input, digest }, moved);
  let reply = await conversation.next();
  while (!reply.done) {
    const isWanted = reply.value === WANTED;
    if (!isWanted) yield reply.value as T;
    reply = await conversation.next(isWanted ? { address, text, sources } : undefined);
  }
}

/** The result of such a task that has only one. */
export async function resultWithSchema<T>(
  threads: Threads,
  schema: Schema,
  task: string,
  input: object,
): Promise<T> {
  let result: T | undefined;
  for await (const one of runWithSchema<T>(threads, schema, task, input)) result = one;
  return result as T;
}
