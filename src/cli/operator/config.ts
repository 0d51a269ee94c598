/** `accession config download`, `upload`, `public`, `diff` and `hash-token`. */
import { writeFileSync } from 'node:fs';
import { canonicalJson } from '#linkml/json.ts';
import type { ElementKind, RecordObject, ServiceClient } from '../../client/client.ts';
import { sha256 } from '../../core/access/config-tokens.ts';
import { configurationDifferences, differenceText } from '../../core/config/compare.ts';
import { type Configuration, type Entries, entryOf } from '../../core/config/config.ts';
import { BOOTSTRAP_NAME } from '../../core/config/names.ts';
import { parseConfigurationFile } from '../../core/config/parse.ts';
import { isServiceError } from '../../core/errors.ts';
import { dumpYaml } from '../../core/formats/dump-yaml.ts';
import { serviceOf } from '../client/target.ts';
import { configurationSchemas } from '../configuration-schemas.ts';
import { isStore } from '../offline/source-files.ts';
import { configurationOf } from '../open-store.ts';
import { PROBLEMS_FOUND, UsageError } from '../outcome.ts';
import { countText, printRows, write } from '../print.ts';
import { readSecret } from '../read-secret.ts';
import { readText } from '../utf8-text.ts';

const ELEMENT_KINDS: readonly ElementKind[] = ['collections', 'tokens', 'admin_tokens'];

type DownloadOptions = {
  readonly url?: string;
  readonly entities?: readonly string[];
  readonly format: 'yaml' | 'json';
  readonly output?: string;
};

/** `config download`: the configuration of a running service as a file. */
export async function configDownload(options: DownloadOptions): Promise<number> {
  const { entities: wanted = ELEMENT_KINDS, format, output } = options;
  const unknown = wanted.find((kind) => !ELEMENT_KINDS.some((one) => one === kind));
  if (unknown !== undefined)
    throw new UsageError(`--entities: expected ${ELEMENT_KINDS.join(', ')}, found '${unknown}'.`);
  const configuration = await downloaded(serviceAt(options.url));
  const kinds = ELEMENT_KINDS.filter((kind) => wanted.includes(kind));
  const elements = Object.fromEntries(kinds.map((kind) => [kind, configuration[kind]]));
  const chosen = { type: 'collections', version: 2, ...elements };
  const text = format === 'json' ? `${JSON.stringify(chosen, undefined, 2)}\n` : dumpYaml(chosen);
  if (output === undefined) await write(text);
  // It holds secrets.
  else writeFileSync(output, text, { mode: 0o600 });
  return 0;
}

/** `config public`: makes a collection public, or closes it. */
export async function configPublic(
  collection: string,
  { url, off = false }: { readonly url?: string; readonly off?: boolean },
): Promise<number> {
  const client = serviceAt(url).collection(collection);
  const before = await client.publicAccess();
  const { default_token, mode, records, visible } = await client.setPublic(!off);
  process.stderr.write(
    `Requests without a token have the mode ${mode} in '${collection}', before ${before.mode ?? 'none'}: its default token '${default_token}' was changed.\n` +
      (off ? '' : `They read ${visible} of ${countText(records, 'record')}.\n`),
  );
  return 0;
}

type UploadOptions = {
  readonly url?: string;
  readonly keep?: boolean;
  readonly delete?: boolean;
  readonly dryRun?: boolean;
};

/** `config upload`: creates and changes what differs in the file; `--delete` removes what it does not have. */
export async function configUpload(file: string, options: UploadOptions): Promise<number> {
  const service = serviceAt(options.url);
  const changes = changesBetween(await downloaded(service), await fromFile(file), options);
  for (const [done, change] of changes.entries()) {
    const line = `${change.action} ${change.kind} ${change.name}`;
    try {
      if (!options.dryRun) await sendChange(service, change);
    } catch (error) {
      const left = changes.length - done;
      process.stderr.write(
        `${line}: refused. Not made: ${left} of ${countText(changes.length, 'change')}.\n`,
      );
      throw error;
    }
    await write(`${line}\n`);
  }
  if (options.dryRun) return 0;
  process.stderr.write(`${countText(changes.length, 'element')} changed\n`);
  return 0;
}

function sendChange({ configuration }: ServiceClient, { action, kind, name, element }: ElementChange) {
  if (action === 'delete') return configuration.remove(kind, name);
  return configuration.put(kind, { ...(element as RecordObject), name });
}

type ElementChange = {
  readonly action: 'create' | 'change' | 'delete';
  readonly kind: ElementKind;
  readonly name: string;
  readonly element: object | undefined;
};

/** Collections come before the tokens that name them; removals go in the opposite order. */
function changesBetween(
  current: Configuration,
  wanted: Configuration,
  { keep, delete: remove }: UploadOptions,
): ElementChange[] {
  const stores = ELEMENT_KINDS.flatMap((kind) =>
    Object.entries(wanted[kind] as Entries<object>).flatMap(([name, element]): ElementChange[] => {
      const before = entryOf(current[kind] as Entries<object>, name);
      if (before === undefined) return [{ action: 'create', kind, name, element }];
      if (keep || isSameElement(before, element)) return [];
      return [{ action: 'change', kind, name, element }];
    }),
  );
  const deletes = ELEMENT_KINDS.toReversed().flatMap((kind) =>
    Object.keys(current[kind]).flatMap((name): ElementChange[] =>
      remove && entryOf(wanted[kind] as Entries<object>, name) === undefined
        ? [{ action: 'delete', kind, name, element: undefined }]
        : [],
    ),
  );
  return [...stores, ...deletes];
}

function isSameElement(before: object, after: object): boolean {
  const plain = (element: object) => canonicalJson(JSON.parse(JSON.stringify(element)));
  return plain(before) === plain(after);
}

/** `config diff`: between files, stores and services. */
export async function configDiff(
  a: string,
  b: string,
  { json }: { readonly json?: boolean },
): Promise<number> {
  const differences = configurationDifferences(
    await configurationAt(a),
    await configurationAt(b),
    await configurationSchemas(),
  );
  if (json) await printRows(differences, [], true);
  else for (const one of differences) await write(`${differenceText(one)}\n`);
  return differences.length > 0 ? PROBLEMS_FOUND : 0;
}

/** A URL, a store directory, or a file. */
async function configurationAt(place: string): Promise<Configuration> {
  if (/^https?:\/\//.test(place)) return downloaded(serviceAt(place));
  return isStore(place) ? configurationOf(place) : fromFile(place);
}

async function fromFile(file: string): Promise<Configuration> {
  try {
    return parseConfigurationFile(readText(file), await configurationSchemas(), () => {
      throw new UsageError(
        `${file} is of version 1, which leaves parts of it to other files. Serve it once and download it.`,
      );
    });
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw new UsageError(error.message.startsWith(file) ? error.message : `${file}: ${error.message}`);
  }
}

/** The service with the admin token of the environment, else with the token that all commands send. */
function serviceAt(url: string | undefined): ServiceClient {
  const { ACCESSION_ADMIN_TOKEN, DTS_ADMIN_TOKEN } = process.env;
  return serviceOf(url, ACCESSION_ADMIN_TOKEN ?? DTS_ADMIN_TOKEN);
}

async function downloaded(service: ServiceClient): Promise<Configuration> {
  const elements = async (kind: ElementKind) => {
    const list = await service.configuration.list(kind);
    const own = list.filter(({ name }) => kind !== 'admin_tokens' || name !== BOOTSTRAP_NAME);
    return [kind, Object.fromEntries(own.map(({ name, ...element }) => [name, element]))];
  };
  const all = Object.fromEntries(await Promise.all(ELEMENT_KINDS.map(elements)));
  return { type: 'collections', version: 2, ...all } as Configuration;
}

export async function hashToken(): Promise<number> {
  const secret = await readSecret('Secret');
  if (secret === '') throw new UsageError('Expected a secret, found none.');
  await write(`${sha256(secret)}\n`);
  return 0;
}
