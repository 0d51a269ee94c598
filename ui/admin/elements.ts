/** What the endpoints of administration take and return. */
import type { Status } from '../../src/client/client.ts';
import type { JsonObject } from '../shared/json.ts';
import { ClientError, service } from '../shared/service.ts';

export type Token = {
  readonly name: string;
  readonly user_id: string;
  readonly hashed?: boolean;
  readonly representation?: string;
  readonly collections: Readonly<Record<string, { readonly mode: string; readonly incoming_label?: string }>>;
};

export type Collection = JsonObject & {
  readonly name: string;
  readonly schema: string;
  readonly default_token: string;
  readonly curated: string;
  readonly incoming: string | null;
};

export const MODES = [
  'READ_CURATED',
  'READ_COLLECTION',
  'WRITE_COLLECTION',
  'READ_SUBMISSIONS',
  'WRITE_SUBMISSIONS',
  'SUBMIT',
  'SUBMIT_ONLY',
  'CURATOR',
  'NOTHING',
] as const;
/** Modes whose tokens write to a zone. */
export const WRITING = new Set<string>([
  'WRITE_COLLECTION',
  'SUBMIT',
  'SUBMIT_ONLY',
  'WRITE_SUBMISSIONS',
  'WRITE_INCOMING',
  'CURATOR',
]);

/** A secret that cannot be guessed: 192 bits. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return `acc_${btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')}`;
}

/** SHA-256 in hexadecimal digits, as the service stores hashed secrets. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Details of the service; null if it does not have the endpoint. */
export async function readStatus(signal?: AbortSignal): Promise<Status | null> {
  try {
    return await service(signal && { signal }).status();
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return null;
    throw error;
  }
}
