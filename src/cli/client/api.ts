/** `accession api` and `accession curate settings`: requests as they are given, with the token of the login. */
import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { CollectionSettings } from '../../client/client.ts';
import { UsageError } from '../outcome.ts';
import { printValue, write } from '../print.ts';
import { serviceOf } from './target.ts';

type ApiOptions = { readonly url?: string; readonly data?: string; readonly type: string };

/** Sends any request, and prints the body of the response. */
export async function api(method: string, path: string, { url, data, type }: ApiOptions): Promise<number> {
  const body = data === undefined ? undefined : await dataIn(data);
  const to = path.startsWith('/') ? path : `/${path}`;
  const options = body === undefined ? {} : { body, contentType: type };
  const { send, chunks } = serviceOf(url);
  for await (const chunk of chunks(await send(method.toUpperCase(), to, options))) await write(chunk);
  if (process.stdout.isTTY) await write('\n');
  return 0;
}

/** The body itself; of `@FILE`, the file; of `-`, standard input. */
async function dataIn(data: string): Promise<Uint8Array<ArrayBuffer>> {
  if (data === '-') return new Uint8Array(await buffer(process.stdin));
  return data.startsWith('@') ? new Uint8Array(readFileSync(data.slice(1))) : new TextEncoder().encode(data);
}

type SettingsOptions = {
  readonly url?: string;
  readonly json?: boolean;
  readonly onDelete?: 'warn' | 'refuse';
  readonly identify?: readonly string[];
  readonly profile?: readonly string[];
  readonly dryRun?: boolean;
} & Omit<NonNullable<CollectionSettings['publish']>, 'profiles'>;

/** Prints the settings of a collection, after those that are given were changed. */
export async function settings(
  name: string,
  { url, json, onDelete, identify = [], profile = [], dryRun, ...publish }: SettingsOptions,
): Promise<number> {
  const { curation } = serviceOf(url).collection(name);
  let current = await curation.settings();
  const profiles = Object.fromEntries(profile.map(profileIn));
  if (dryRun) {
    await printValue(await curation.tryProfiles(profiles), json);
    return 0;
  }
  if (
    onDelete !== undefined ||
    identify.length > 0 ||
    profile.length > 0 ||
    Object.keys(publish).length > 0
  ) {
    const published = {
      ...current.publish,
      ...publish,
      ...(profile.length > 0 && { profiles: { ...current.publish?.profiles, ...profiles } }),
    };
    current = await curation.putSettings({
      on_delete: onDelete ?? current.on_delete,
      identifying_slots: { ...current.identifying_slots, ...Object.fromEntries(identify.map(slotsIn)) },
      ...(Object.keys(published).length > 0 && { publish: published }),
    });
  }
  await printValue(current, json);
  return 0;
}

/** `Person=orcid,email` */
function slotsIn(text: string): [className: string, slots: string[]] {
  const [, className, slots] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (className === undefined || slots === undefined)
    throw new UsageError(`--identify: expected CLASS=SLOT,SLOT, found '${text}'.`);
  return [className, slots.split(',').filter((slot) => slot !== '')];
}

/** `oai_dc=FILE` */
function profileIn(text: string): [vocabulary: string, derivations: string] {
  const [, vocabulary, file] = /^(\w+)=(.+)$/.exec(text) ?? [];
  if (vocabulary === undefined || file === undefined)
    throw new UsageError(`--profile: expected VOCABULARY=FILE, found '${text}'.`);
  return [vocabulary, readFileSync(file, 'utf8')];
}
