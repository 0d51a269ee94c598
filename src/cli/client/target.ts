/** Which service, collection and area a command works on. */
import { type AreaClient, type CollectionClient, connect, type ServiceClient } from '../../client/client.ts';
import { openSchema, type Schema } from '../../core/schema/schema.ts';
import { UsageError } from '../outcome.ts';
import { readLogins } from './login.ts';
import { zoneMissing } from './names.ts';

/** The options of commands that work on an area: without any, on what the token reads and writes by default. */
export type AreaOptions = {
  readonly url?: string;
  readonly curated?: boolean;
  readonly incoming?: string;
  /** Of commands that store: whether they may make the zone. */
  readonly newZone?: boolean;
};

/** The URL of the service: one that is given, `ACCESSION_URL`, or that of the last login. @throws UsageError */
export function urlOf(given: string | undefined): string {
  const url = given ?? process.env.ACCESSION_URL ?? readLogins().default;
  if (url !== undefined) return url;
  throw new UsageError('No service is known. Give its URL, or run "accession login URL" once.');
}

/**
 * The service at a URL.
 *
 * @param secret by default `ACCESSION_TOKEN`, `DTC_TOKEN`, or the token of the login
 * @throws UsageError
 */
export function serviceOf(
  given: string | undefined,
  secret = process.env.ACCESSION_TOKEN ?? process.env.DTC_TOKEN,
): ServiceClient {
  const url = urlOf(given);
  const token = secret ?? readLogins().services[url.replace(/\/+$/, '')]?.token;
  return connect({ url, ...(token !== undefined && { token }) });
}

/** The area that options select. @throws UsageError if it is a zone that does not exist, and none is to be made */
export async function areaOf(
  collection: CollectionClient,
  { curated, incoming, newZone }: AreaOptions,
): Promise<AreaClient> {
  if (newZone && incoming === undefined)
    throw new UsageError('--new-zone makes the zone that --incoming names: name one.');
  if (incoming === undefined) return curated ? collection.curated : collection;
  if (curated) throw new UsageError('--curated and --incoming exclude each other.');
  const mistake = newZone ? undefined : await zoneMissing(collection, incoming);
  if (mistake === undefined) return collection.incoming(incoming);
  throw new UsageError(`${mistake} "accession put" and "accession import" make one with --new-zone.`);
}

/** The area whose changes are those of all that a token reads; undefined if it reads a zone, too, or no curated records. */
export function followedArea(
  collection: CollectionClient,
  permissions: readonly string[],
): AreaClient | undefined {
  if (permissions.includes('curate')) return collection.curated;
  const isAlone = permissions.includes('read_curated') && !permissions.includes('read_zone');
  return isAlone ? collection : undefined;
}

/** How messages name the area. */
export function areaName(collection: string, { curated, incoming }: AreaOptions): string {
  if (incoming !== undefined) return `${collection}/incoming/${incoming}`;
  return curated ? `${collection}/curated` : collection;
}

/**
 * The schema of a collection, opened when it is needed: the one that is given, else that of the service, if its URL can be
 * read from here.
 */
export function schemaOf(
  service: ServiceClient,
  name: string,
  given: string | undefined,
): () => Promise<Schema> {
  let opened: Promise<Schema> | undefined;
  return () => {
    opened ??= given === undefined ? schemaNamedBy(service, name) : openSchema(given);
    return opened;
  };
}

async function schemaNamedBy(service: ServiceClient, name: string): Promise<Schema> {
  const address = await schemaAddressOf(service, name);
  try {
    return await openSchema(address);
  } catch (error) {
    throw new UsageError(`${(error as Error).message} Give the schema of the collection with --schema.`);
  }
}

/** The address of the schema of a collection, as the service names it. @throws UsageError */
export async function schemaAddressOf(service: ServiceClient, name: string): Promise<string> {
  const { collections } = await service.server();
  const found = collections.find((one) => one.name === name);
  if (found) return found.schema;
  throw new UsageError(`The service has no collection '${name}'.`);
}
