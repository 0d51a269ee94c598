/** What the service of the crash test and the test itself have in common: a collection, and what is expected of changes. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { type App, openApp } from '../../src/app.ts';
import { ADMIN } from '../support/app.ts';
import { lacks } from '../support/lacks.ts';
import { RENAMED } from '../support/schemas.ts';

/**
 * What clients of modules do, and what is compared of their rows: a checkout without a module has neither. That of all modules is
 * what is to be tried: clients of each beside those of the others.
 */
export const HAS = {
  review: !lacks('review'),
  curate: !lacks('curate'),
  migrate: !lacks('migrate'),
};

/** How the collection looks outside of the database. */
export type World = {
  readonly name: string;
  readonly backend: { readonly type: string; readonly mapping_method?: string };
};

export const WORLDS: readonly World[] = [
  { name: 'sqlite', backend: { type: 'sqlite' } },
  { name: 'record_dir+stl', backend: { type: 'record_dir+stl', mapping_method: 'digest-md5-p3' } },
  { name: 'record_dir', backend: { type: 'record_dir', mapping_method: 'after-last-colon' } },
  { name: 'postgresql', backend: { type: 'postgresql' } },
];

/** The first schema takes back what the second one renames, so the service can switch there and back. */
const SCHEMAS = {
  'one.yaml': RENAMED.replaceAll('Human', 'Person')
    .replace('aliases: [Person]', 'aliases: [Human]')
    .replace('email: { required: true, aliases: [mail] }', 'mail: { required: true, aliases: [email] }'),
  'two.yaml': RENAMED,
};

export const PEOPLE = 10;

/** The records that are merged, and others that refer to one of them. All refer to a hub, which is renamed. */
export const startingPeople = (hub: string): Person[] =>
  Array.from({ length: PEOPLE }, (_, n) => ({
    kind: 'Person',
    pid: `ex:p${n}`,
    mail: `p${n}@x.org`,
    friend: hub,
    ...(n > 1 && { friends: ['ex:p1', 'ex:p2'] }),
    ...(n === 1 && { nick: 'only here' }),
  }));

/** Makes the store directory, with its schemas and a configuration file. */
export function makeStore(root: string, { backend }: World): void {
  for (const [name, text] of Object.entries(SCHEMAS)) writeFileSync(join(root, name), text);
  const token = (name: string, mode: string) => ({
    user_id: name,
    representation: name,
    collections: { c: { mode, incoming_label: name } },
  });
  const configuration = {
    type: 'collections',
    version: 2,
    collections: {
      c: {
        schema: join(root, 'one.yaml'),
        default_token: 'nobody',
        curated: 'c/curated',
        incoming: 'c/incoming',
        backend,
      },
    },
    tokens: { cora: token('cora', 'CURATOR'), ann: token('ann', 'WRITE_COLLECTION') },
  };
  writeFileSync(join(root, 'config.yaml'), JSON.stringify(configuration));
}

/** The exit status of a service that has lost its thread. */
export const LOST = 3;

export function openWorld(root: string, databaseUrl: string, lost?: () => void): Promise<App> {
  return openApp({
    ...(lost && { lost }),
    store: root,
    configFile: join(root, 'config.yaml'),
    version: '0.0.0-test',
    bootstrap: createHash('sha256').update(ADMIN).digest('hex'),
    logger: pino({ level: 'silent' }),
    ...(databaseUrl !== '' && { databaseUrl }),
  });
}

export type Answer = { readonly status: number; readonly text: string };

export async function send(
  app: App,
  method: string,
  url: string,
  token: string,
  json?: unknown,
): Promise<Answer> {
  const answer = await app.server.inject({
    method: method as 'GET',
    url,
    headers: { 'x-service-token': token, ...(json !== undefined && { 'content-type': 'application/json' }) },
    ...(json !== undefined && { payload: JSON.stringify(json) }),
  });
  return { status: answer.statusCode, text: answer.body };
}

/** A record in the terms of the first schema. */
export type Person = {
  readonly kind: string;
  readonly pid: string;
  readonly mail?: string;
  readonly nick?: string;
  readonly friend?: string;
  readonly friends?: readonly string[];
  readonly weight?: number;
};

type Stored = Omit<Person, 'kind'> & { readonly schema_type: string; readonly email?: string };

/** A record that is stored under either schema. */
export function personOf(json: string): Person {
  const { pid, mail, email, nick, friend, friends, weight, schema_type: type } = JSON.parse(json) as Stored;
  return {
    kind: type.replace('ex:Human', 'ex:Person').slice(3),
    pid,
    ...((mail ?? email) !== undefined && { mail: mail ?? email! }),
    ...(nick !== undefined && { nick }),
    ...(friend !== undefined && { friend }),
    ...(friends !== undefined && { friends }),
    ...(weight !== undefined && { weight }),
  };
}

/** The same string for the same record, whatever the schema. */
export const contentOf = (person: Person) =>
  JSON.stringify(Object.entries(person).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * One change that is expected: of a record (the key is `curated <pid>` or `zone <pid>`, null deletes it), of the
 * configuration, or of a number that is counted up, such as that of the decisions about a record.
 */
export type Change = readonly [key: string, value: string | null];

/** Changes that are made together or not at all. */
export type Part = readonly Change[];

/** A line of the process: what it is about to do, and what became of that. */
export type Line =
  | { readonly is: 'open' }
  | { readonly is: 'try'; readonly serial: number; readonly name: string; readonly parts: readonly Part[] }
  /** `made` has the parts that were made. */
  | { readonly is: 'ack'; readonly serial: number; readonly made: readonly number[] }
  | { readonly is: 'refused'; readonly serial: number; readonly status: number; readonly text: string };
