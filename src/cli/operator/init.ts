/** `accession init`: a store to begin with: schema, configuration, tokens and first records. */
import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { openApp } from '../../app.ts';
import { openSchema } from '../../schema/schema.ts';
import { UsageError } from '../outcome.ts';
import { printValue, write } from '../print.ts';
import { packageFile, version } from '../version.ts';

const EXAMPLE_SCHEMA = 'examples/laboratory/schema.yaml';

type InitOptions = { readonly collection: string; readonly schema?: string; readonly json?: boolean };

export async function init(place: string, { collection, schema: own, json }: InitOptions): Promise<number> {
  const directory = resolve(place);
  const existed = existsSync(directory);
  if (existed && readdirSync(directory).length > 0) {
    throw new UsageError(`${directory} is not empty; a store is made in a new directory.`);
  }
  mkdirSync(directory, { recursive: true });
  try {
    const schema =
      own === undefined
        ? copySchema(directory, fileURLToPath(packageFile(EXAMPLE_SCHEMA)))
        : await ownSchema(directory, own);
    const secrets = await makeStore(directory, collection, schema, own === undefined ? RECORDS : []);
    if (json) await printValue({ store: directory, collection, schema, tokens: secrets }, true);
    else await introduce(place, collection, schema, secrets);
    return 0;
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
async function ownSchema(directory: string, given: string): Promise<string> {
  const isRemote = /^https?:/i.test(given);
  const address = isRemote ? given : resolve(given.startsWith('file:') ? fileURLToPath(given) : given);
  await openSchema(address);
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

type FirstRecord = { readonly className: string; readonly record: object };

const RECORDS: readonly FirstRecord[] = [
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

type Secrets = Readonly<Record<string, string>>;

async function makeStore(
  directory: string,
  collection: string,
  schema: string,
  records: readonly FirstRecord[],
): Promise<Secrets> {
  const secrets = Object.fromEntries(
    [...Object.keys(MODES), 'admin'].map((name) => [name, randomBytes(24).toString('base64url')]),
  );
  const hash = (name: string) =>
    createHash('sha256')
      .update(secrets[name] as string)
      .digest('hex');
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
        audit_backends: [{ type: 'gitaudit', path: `${collection}/audit` }],
      },
    },
    tokens: {
      visitor: { user_id: 'visitor', collections: { [collection]: { mode: 'NOTHING' } } },
      ...Object.fromEntries(Object.entries(MODES).map(([name, mode]) => [name, token(name, mode)])),
    },
    admin_tokens: { admin: { representation: hash('admin') } },
  };
  const file = join(directory, '.init.yaml');
  writeFileSync(file, JSON.stringify(configuration), { mode: 0o600 });
  const app = await openApp({
    store: directory,
    configFile: file,
    version: version(),
    logger: pino({ level: 'silent' }),
  });
  try {
    for (const { className, record } of records) {
      const answer = await app.server.inject({
        method: 'POST',
        url: `/${encodeURIComponent(collection)}/curated/record/${className}`,
        headers: { 'x-service-token': secrets.curator as string, 'content-type': 'application/json' },
        payload: JSON.stringify(record),
      });
      if (answer.statusCode !== 200) throw new Error(`a first record is refused: ${answer.body}`);
    }
  } finally {
    await app.close();
    rmSync(file);
  }
  return secrets;
}

async function introduce(place: string, collection: string, schema: string, secrets: Secrets): Promise<void> {
  await write(`A store with the collection '${collection}' is in ${place}.
Its schema is ${schema}; edit it to your needs.

Tokens, which are shown only now (the store keeps their hashes):
${Object.entries(secrets)
  .map(([name, secret]) => `  ${name.padEnd(10)} ${secret}`)
  .join('\n')}

Start the service:
  accession serve ${place}

Then, in another terminal, with a token from above:
  accession login http://127.0.0.1:8000
  accession list ${collection}
`);
}
