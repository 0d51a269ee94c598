/** The bodies of requests and responses of administration. */

import type { Status } from '../../src/client/client.ts';
import {
  modeNeedsZone,
  modePermitsMoreThanReading,
  permissionsOfMode,
  tokenModes,
} from '../../src/core/access/modes.ts';
import type { JsonObject } from '../shared/json.ts';
import { ClientError, service } from '../shared/service.ts';

export type Token = {
  readonly name: string;
  readonly user_id: string;
  readonly hashed?: boolean;
  readonly representation?: string;
  /** A day, which is included, or a time. */
  readonly expires?: string;
  /** Of a shared link: whom it is for, and who has made it. */
  readonly shared_link?: { readonly title: string; readonly by: string };
  readonly collections: Readonly<Record<string, { readonly mode: string; readonly incoming_label?: string }>>;
};

export type Collection = JsonObject & {
  readonly name: string;
  readonly schema: string;
  readonly default_token: string;
  readonly curated: string;
  readonly incoming: string | null;
};

/** Modes that are offered: `WRITE_INCOMING` is another name of `WRITE_SUBMISSIONS`. */
export const MODES = tokenModes.filter((mode) => mode !== 'WRITE_INCOMING');
/** Modes whose tokens write to a zone. */
export const WRITING = new Set<string>(tokenModes.filter(modeNeedsZone));

/** Modes whose tokens read curated records. */
export const READING = new Set<string>(tokenModes.filter((mode) => permissionsOfMode[mode].readCurated));

/** Modes between which a collection is not switched when it is made public or closed. */
export const MORE_THAN_READING = new Set<string>(tokenModes.filter(modePermitsMoreThanReading));

/** Details of the service; null if it does not have the endpoint. */
export async function readStatus(signal?: AbortSignal): Promise<Status | null> {
  try {
    return await service(signal && { signal }).status();
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return null;
    throw error;
  }
}
