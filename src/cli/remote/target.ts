/** Which service, collection and area a command works on. */
import { type AreaClient, type CollectionClient, connect, type ServiceClient } from '../../client/client.ts';
import { openSchema, type Schema } from '../../schema/schema.ts';
import { type Given, UsageError } from '../command.ts';
import { readLogins } from './logins.ts';

export type Target = {
  readonly url: string;
  readonly service: ServiceClient;
  /** The arguments behind the URL. */
  readonly args: readonly string[];
};

/**
 * The service: a URL as the first argument, else `ACCESSION_URL`, else the last login. The token: `ACCESSION_TOKEN`, else
 * `DTC_TOKEN`, else that of the login.
 *
 * @throws UsageError
 */
export function targetOf(given: Given, names: readonly string[], environment = process.env): Target {
  const [first = ''] = given.args;
  const explicit = /^https?:\/\//.test(first) ? first : undefined;
  const args = explicit === undefined ? given.args : given.args.slice(1);
  const logins = readLogins();
  const url = explicit ?? environment.ACCESSION_URL ?? logins.default;
  if (url === undefined) {
    throw new UsageError('No service is known. Give its URL first, or run "accession login URL" once.');
  }
  const missing = names[args.length];
  if (missing !== undefined) throw new UsageError(`The argument ${missing} is missing.`);
  const token =
    environment.ACCESSION_TOKEN ?? environment.DTC_TOKEN ?? logins.services[url.replace(/\/+$/, '')]?.token;
  return { url, service: connect({ url, ...(token !== undefined && { token }) }), args };
}

/** The area that flags select: what the token reads and writes by default, without any. */
export function areaOf(collection: CollectionClient, given: Given): AreaClient {
  const label = given.text('incoming');
  if (label !== undefined && given.is('curated'))
    throw new UsageError('--curated and --incoming exclude each other.');
  if (label !== undefined) return collection.incoming(label);
  return given.is('curated') ? collection.curated : collection;
}

/** How messages name the area. */
export function areaName(collection: string, given: Given): string {
  const label = given.text('incoming');
  if (label !== undefined) return `${collection}/incoming/${label}`;
  return given.is('curated') ? `${collection}/curated` : collection;
}

/**
 * The schema of a collection: the one that is given, else that of the service, if its address can be read from here.
 */
export async function schemaOf(
  { service }: Target,
  collection: string,
  given: string | undefined,
): Promise<Schema> {
  if (given !== undefined) return openSchema(given);
  const { collections } = await service.server();
  const found = collections.find(({ name }) => name === collection);
  if (!found) throw new UsageError(`The service has no collection '${collection}'.`);
  try {
    return await openSchema(found.schema);
  } catch (error) {
    throw new UsageError(`${(error as Error).message} Give the schema of the collection with --schema.`);
  }
}
