/** `accession init`: a store to begin with: schema, configuration, tokens and first records. */
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { openApp } from '../../app.ts';
import { newSecret, sha256 } from '../../core/access/config-tokens.ts';
import { checkCollectionName } from '../../core/config/names.ts';
import { requirePids } from '../../core/schema/record-classes.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { configurationSchemas } from '../configuration-schemas.ts';
import { makeDirectory } from '../new-file.ts';
import { UsageError } from '../outcome.ts';
import { printValue, write } from '../print.ts';
import { packageFile, version } from '../version.ts';
import { DEMO, demoStart, demoText } from './demo.ts';

const EXAMPLE_SCHEMA = 'examples/laboratory/schema.yaml';
/** The configuration. It is in the directory until the store is complete, so it marks one that was interrupted. */
export const UNFINISHED = '.init.yaml';

type InitOptions = {
  readonly collection: string;
  readonly schema?: string;
  readonly demo?: boolean;
  readonly json?: boolean;
};

/** The first configuration of a store. */
type Start = {
  readonly configuration: object;
  /** The secrets of its tokens, by name. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Stored in this order, each with a secret. */
  readonly records: readonly FirstRecord[];
};

type FirstRecord = {
  /** The URL of the area. */
  readonly area: string;
  readonly secret: string;
  readonly className: string;
  readonly record: object;
  readonly message?: string | undefined;
};

export async function init(place: string, options: InitOptions): Promise<number> {
  const { collection, demo = false, json } = options;
  const { schema, tokens } = await createStore(place, options);
  if (json) await printValue({ store: resolve(place), collection, schema, tokens }, true);
  else if (demo)
    await write(`The laboratory is in ${place}.\n${startText(place)}\n${demoText('http://127.0.0.1:8000')}`);
  else await introduce(place, collection, schema, tokens);
  return 0;
}

/** Makes a store in a new or empty directory, and leaves the directory as it was if that fails. */
export async function createStore(place: string, { collection, schema: own, demo }: InitOptions) {
  if (demo && (own !== undefined || collection !== DEMO))
    throw new UsageError('--demo has its own schema and collection: leave out --schema and --collection.');
  checkCollectionName(collection);
  const directory = resolve(place);
  const existed = existsSync(directory);
  if (existed && readdirSync(directory).length > 0) {
    throw new UsageError(`${directory} is not empty; a store is made in a new directory.`);
  }
  makeDirectory(directory);
  try {
    writeFileSync(join(directory, UNFINISHED), '', { mode: 0o600 });
    const schema =
      own === undefined
        ? copySchema(directory, fileURLToPath(packageFile(EXAMPLE_SCHEMA)))
        : await ownSchema(directory, own);
    const start: Start = demo
      ? demoStart(schema, await initialKeys(DEMO))
      : await ownStart(collection, schema, own === undefined);
    await fill(directory, start);
    return { schema, tokens: start.tokens };
  } catch (error) {
    for (const name of readdirSync(directory))
      rmSync(join(directory, name), { recursive: true, force: true });
    if (!existed) rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** The schema becomes part of the store, which can then be moved. */
function copySchema(directory: string, from: string): string {
  const file = join(directory, 'schema.yaml');
  copyFileSync(from, file);
  return file;
}

/**
 * A schema that does not open would be noticed only when the service starts. One that imports files beside it stays where
 * it is.
 */
async function ownSchema(directory: string, source: string): Promise<string> {
  const isRemote = /^https?:/i.test(source);
  const address = isRemote ? source : resolve(source.startsWith('file:') ? fileURLToPath(source) : source);
  const schema = await openSchema(address);
  requirePids(schema);
  if (isRemote) return address;
  const copy = copySchema(directory, address);
  try {
    await openSchema(copy);
    return copy;
  } catch {
    rmSync(copy);
    return address;
  }
}

/** The tokens: what each may do. */
const MODES: Readonly<Record<string, string>> = {
  reader: 'READ_CURATED',
  submitter: 'WRITE_COLLECTION',
  curator: 'CURATOR',
};

const RECORDS = [
  {
    className: 'Organization',
    record: {
      pid: 'labid:organization-example',
      name: 'Example University',
      organization_kind: 'university',
    },
  },
  {
    className: 'Person',
    record: {
      pid: 'labid:person-ada-byron',
      name: 'Ada Byron',
      given_name: 'Ada',
      family_name: 'Byron',
      affiliations: ['labid:organization-example'],
    },
  },
];

/** One collection with secrets of its own, and two records if the schema is the example. */
async function ownStart(collection: string, schema: string, isExample: boolean): Promise<Start> {
  const initial = await initialKeys(collection);
  const secrets: Record<string, string> = Object.fromEntries(
    [...Object.keys(MODES), 'admin'].map((name) => [name, newSecret()]),
  );
  const hash = (name: string) => sha256(secrets[name] as string);
  const token = (name: string, mode: string) => ({
    user_id: name,
    hashed: true,
    representation: hash(name),
    collections: { [collection]: { mode, incoming_label: name } },
  });
  const configuration = {
    type: 'collections',
    version: 2,
    collections: {
      [collection]: {
        schema,
        default_token: 'visitor',
        curated: `${collection}/curated`,
        incoming: `${collection}/incoming`,
        ...initial,
      },
    },
    tokens: {
      visitor: { user_id: 'visitor', collections: { [collection]: { mode: 'NOTHING' } } },
      ...Object.fromEntries(Object.entries(MODES).map(([name, mode]) => [name, token(name, mode)])),
    },
    admin_tokens: { admin: { representation: hash('admin') } },
  };
  const area = `/${encodeURIComponent(collection)}/curated`;
  const first = isExample ? RECORDS : [];
  const records = first.map((one) => ({ ...one, area, secret: secrets.curator as string }));
  return { configuration, tokens: secrets, records };
}

/** The keys of modules in the configuration of a new collection. */
async function initialKeys(collection: string): Promise<object> {
  const { keys } = await configurationSchemas();
  return Object.fromEntries(
    Object.entries(keys).flatMap(([key, { initial }]) => (initial ? [[key, initial(collection)]] : [])),
  );
}

/** Stores the configuration and the records through the service's own interface, as clients do. */
async function fill(directory: string, { configuration, records }: Start): Promise<void> {
  const file = join(directory, UNFINISHED);
  writeFileSync(file, JSON.stringify(configuration));
  const logger = pino({ level: 'silent' });
  const app = await openApp({ store: directory, configFile: file, version: version(), logger });
  try {
    for (const { area, secret, className, record, message } of records) {
      const query = message === undefined ? '' : `?message=${encodeURIComponent(message)}`;
      const answer = await app.server.inject({
        method: 'POST',
        url: `${area}/record/${className}${query}`,
        headers: { 'x-service-token': secret, 'content-type': 'application/json' },
        payload: JSON.stringify(record),
      });
      if (answer.statusCode !== 200) throw new Error(`a first record is refused: ${answer.body}`);
    }
  } finally {
    await app.close();
  }
  rmSync(file);
}

/** How to start the service, for a shell. */
function startText(place: string): string {
  return `
Start the service, then open the desk at http://127.0.0.1:8000/-/desk/ in a browser:
  accession serve ${place}
`;
}

async function introduce(
  place: string,
  collection: string,
  schema: string,
  secrets: Start['tokens'],
): Promise<void> {
  await write(`A store with the collection '${collection}' is in ${place}.
Its schema is ${schema}: edit it before the first record is stored, then use "accession schema switch".

Tokens, which are shown only now (the store keeps their hashes):
${Object.entries(secrets)
  .map(([name, secret]) => `  ${name.padEnd(10)} ${secret}`)
  .join('\n')}
${startText(place)}
Then, in another terminal, with a token from above:
  accession login http://127.0.0.1:8000
  accession list ${collection}
`);
}
