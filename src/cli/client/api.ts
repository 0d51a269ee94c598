/** `accession api` and `accession curate settings`: requests as they are given, with the token of the login. */
import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { CollectionSettings } from '../../client/client.ts';
import { MODULES } from '../modules.ts';
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
};

/** Prints the settings of a collection, after those that are given were changed. */
export async function settings(name: string, options: SettingsOptions): Promise<number> {
  const { url, json, onDelete } = options;
  const { curation } = serviceOf(url).collection(name);
  const changes: ((stored: CollectionSettings) => CollectionSettings)[] = [];
  for (const module of MODULES) {
    const ofOptions = await module.settings?.load();
    const change = ofOptions?.(options);
    if (change) changes.push(change);
  }
  if (onDelete !== undefined) changes.push((stored) => ({ ...stored, on_delete: onDelete }));
  const current =
    changes.length === 0
      ? await curation.settings()
      : await curation.changeSettings((stored) => changes.reduce((next, change) => change(next), stored));
  await printValue(current, json);
  return 0;
}
