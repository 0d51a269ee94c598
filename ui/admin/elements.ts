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

/** Details of the service; null if it does not have the endpoint. */
export async function readStatus(signal?: AbortSignal): Promise<Status | null> {
  try {
    return await service(signal && { signal }).status();
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return null;
    throw error;
  }
}
