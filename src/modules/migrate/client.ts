/**
 * Changes of schemas for clients.
 *
 * ```ts
 * import { migrate } from 'accession/client/migrate';
 *
 * const { id, summary } = await laboratory.use(migrate).rehearse('https://example.org/schema.yaml');
 * ```
 */
import type { Http } from '../../client/http.ts';
import { decoded, lines } from '../../client/lines.ts';
import type { ClassDescription, JsonObject, ProblemReport } from '../../client/types.ts';
import type {
  Rehearsal,
  RehearsedRecord,
  SchemaSwitch,
  SwitchOptions,
  ValidatedObject,
} from './api-types.ts';

export type * from './api-types.ts';

/** The interval in which the result of a rehearsal is asked for. */
const POLL_MS = 500;

export function migrate(http: Http, path: string) {
  const rehearsals = `${path}/rehearsals`;
  const one = (id: string) => `${rehearsals}/${encodeURIComponent(id)}`;
  const finished = async (first: Rehearsal): Promise<Rehearsal> => {
    let rehearsal = first;
    while (rehearsal.state === 'running') {
      await new Promise((done) => setTimeout(done, POLL_MS));
      rehearsal = await http.json('GET', one(rehearsal.id));
    }
    return rehearsal;
  };
  return {
    /** Judges the records by another schema, at an address or as a string; changes nothing. Waits for the result. */
    async rehearse(schema: string | { readonly text: string }): Promise<Rehearsal> {
      const json = typeof schema === 'string' ? { address: schema } : { schema: schema.text };
      return finished(await http.json('POST', `${path}/rehearse`, { json, safe: true }));
    },
    /**
     * Judges the records by other vocabularies, by name: `{}` takes the source again, `{source, format}` another one, and null removes
     * the vocabulary.
     */
    async rehearseVocabularies(vocabularies: Readonly<Record<string, object | null>>): Promise<Rehearsal> {
      return finished(await http.json('POST', `${path}/rehearse`, { json: { vocabularies }, safe: true }));
    },
    /** The result of {@link rehearse} by its id; waits until it is there. */
    rehearsal: async (id: string): Promise<Rehearsal> => finished(await http.json('GET', one(id))),
    /** All records of a rehearsal with an outcome, each as it is now. */
    async *records(id: string, outcome: string): AsyncGenerator<RehearsedRecord> {
      const response = await http.send('GET', `${one(id)}/records`, { query: { outcome } });
      for await (const line of lines(decoded(http.chunks(response))))
        yield http.parse(line, response) as RehearsedRecord;
    },
    /** A class of the rehearsed schema, with its slots. */
    rehearsedClass: (id: string, name: string): Promise<ClassDescription> =>
      http.json('GET', `${one(id)}/classes/${encodeURIComponent(name)}`),
    /** What the rehearsed schema refuses of an object of a class; stores nothing. */
    async validate(id: string, className: string, object: JsonObject): Promise<readonly ProblemReport[]> {
      const path = `${one(id)}/validate/${encodeURIComponent(className)}`;
      return (await http.json<ValidatedObject>('POST', path, { json: object, safe: true })).problems;
    },
    /**
     * Judges the records by the schema of a configuration that would replace that of the collection; changes nothing. Null if the
     * collection does not run.
     */
    rehearseReplacement: (json: {
      readonly name: string;
      readonly [member: string]: unknown;
    }): Promise<Rehearsal | null> =>
      http.json('PUT', '/collections', { json, query: { dry_run: true }, safe: true }),
    /**
     * Puts a rehearsed schema in force, for administrators. `patches` also corrects records that can be corrected: all, or
     * those with these pids. `corrections` has values by pid and slot for those that cannot; null removes a value.
     *
     * @throws ClientError with status 409 if `ifValid` and a record would not fit
     */
    switch: (
      rehearsal: string,
      { patches = false, ifValid = false, corrections }: SwitchOptions = {},
    ): Promise<SchemaSwitch> =>
      http.json('POST', `${one(rehearsal)}/switch`, { json: { patches, if_valid: ifValid, corrections } }),
    /** The schema changes that were carried out, newest first. */
    switches: (): Promise<readonly SchemaSwitch[]> => http.json('GET', `${path}/switches`),
    /** Undoes one: the former schema, and the records as they were. For administrators. */
    undo: (id: string): Promise<SchemaSwitch> =>
      http.json('POST', `${path}/switches/${encodeURIComponent(id)}/undo`),
  };
}
