/** `accession config download`, `upload` and `diff`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type ElementKind, type RecordObject, type ServiceClient } from '../client/client.ts';
import { type ConfigurationDifference, configurationDifferences, differenceText } from '../config/compare.ts';
import { type Configuration, type Entries, entryOf } from '../config/config.ts';
import { BOOTSTRAP_NAME } from '../config/names.ts';
import { parseConfigurationFile } from '../config/parse.ts';
import { dumpYaml } from '../yaml/dump.ts';
import { type Given, UsageError } from './command.ts';
import { isStore } from './offline/source-files.ts';
import { openStore } from './open-store.ts';
import { PROBLEMS_FOUND } from './outcome.ts';
import { counted, printRows, write } from './print.ts';
import { readLogins } from './remote/logins.ts';

const ELEMENT_KINDS: readonly ElementKind[] = ['collections', 'tokens', 'admin_tokens'];

/** `config download`: the configuration of a running service as a file. */
export async function configDownload(given: Given): Promise<number> {
  const configuration = await downloaded(serviceAt(given.args[0]));
  const kinds = given.texts('entities');
  const chosen = {
    type: 'collections',
    version: 2,
    ...Object.fromEntries(
      ELEMENT_KINDS.filter((kind) => kinds.length === 0 || kinds.includes(kind)).map((kind) => [
        kind,
        configuration[kind],
      ]),
    ),
  };
  const text =
    given.text('format') === 'json' ? `${JSON.stringify(chosen, undefined, 2)}\n` : dumpYaml(chosen);
  const file = given.text('output');
  if (file === undefined) await write(text);
  // It holds secrets.
  else writeFileSync(file, text, { mode: 0o600 });
  return 0;
}

/** `config upload`: creates and changes what differs in the file; `--delete` removes what it does not have. */
export async function configUpload(given: Given): Promise<number> {
  const [first = '', second] = given.args;
  const file = second ?? first;
  const service = serviceAt(second === undefined ? undefined : first);
  const wanted = fromFile(file);
  const current = await downloaded(service);
  const changes = changesBetween(current, wanted, { keep: given.is('keep'), remove: given.is('delete') });
  for (const { action, kind, name } of changes) await write(`${action} ${kind} ${name}\n`);
  if (given.is('dry-run')) return 0;
  for (const { action, kind, name, element } of changes) {
    if (action === 'delete') await service.configuration.remove(kind, name);
    else await service.configuration.put(kind, { ...(element as RecordObject), name });
  }
  process.stderr.write(`${counted(changes.length, 'element')} changed\n`);
  return 0;
}

type ElementChange = {
  readonly action: 'create' | 'change' | 'delete';
  readonly kind: ElementKind;
  readonly name: string;
  readonly element: object | undefined;
};

/** Collections come before the tokens that name them; what is removed goes in the opposite order. */
function changesBetween(
  current: Configuration,
  wanted: Configuration,
  { keep, remove }: { readonly keep: boolean; readonly remove: boolean },
): ElementChange[] {
  const stores = ELEMENT_KINDS.flatMap((kind) =>
    Object.entries(wanted[kind] as Entries<object>).flatMap(([name, element]): ElementChange[] => {
      const before = entryOf(current[kind] as Entries<object>, name);
      if (before === undefined) return [{ action: 'create', kind, name, element }];
      if (keep || isSameElement(kind, name, before, element)) return [];
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

function isSameElement(kind: ElementKind, name: string, before: object, after: object): boolean {
  const whole = (element: object) => ({ [kind]: { [name]: element } }) as unknown as Configuration;
  return configurationDifferences(whole(before), whole(after)).length === 0;
}

/** `config diff`: between files, stores and services. */
export async function configDiff(given: Given): Promise<number> {
  const [a = '', b = ''] = given.args;
  const differences = configurationDifferences(await configurationAt(a), await configurationAt(b));
  if (given.is('json')) await printRows(differences, [], true);
  else
    for (const one of differences) await write(`${differenceText(one satisfies ConfigurationDifference)}\n`);
  return differences.length > 0 ? PROBLEMS_FOUND : 0;
}

/** A URL, a store directory, or a file. */
async function configurationAt(place: string): Promise<Configuration> {
  if (/^https?:\/\//.test(place)) return downloaded(serviceAt(place));
  if (!isStore(place)) return fromFile(place);
  const store = await openStore(place);
  await store.close();
  return store.configuration;
}

function fromFile(file: string): Configuration {
  return parseConfigurationFile(readFileSync(file, 'utf8'), () => {
    throw new UsageError(
      `${file} is of version 1, which leaves parts of it to other files. Serve it once and download it.`,
    );
  });
}

/** The service with the admin token of the environment, else with the token of the login. */
function serviceAt(given: string | undefined): ServiceClient {
  const logins = readLogins();
  const url = given ?? process.env.ACCESSION_URL ?? logins.default;
  if (url === undefined)
    throw new UsageError('No service is known. Give its URL, or run "accession login URL" once.');
  const token =
    process.env.ACCESSION_ADMIN_TOKEN ??
    process.env.DTS_ADMIN_TOKEN ??
    logins.services[url.replace(/\/+$/, '')]?.token;
  return connect({ url, ...(token !== undefined && { token }) });
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
