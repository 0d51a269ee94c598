/** The findings of `accession check`. */

import type { lostLog } from '../../../core/config/store-directory.ts';
import type { OpenStore, StoreArea } from '../../opened-store.ts';

/** One thing that a check has found. */
export type Finding = {
  readonly severity: 'error' | 'warning';
  /** The kind of check. */
  readonly check: string;
  /** The collection and area that it concerns, such as `laboratory/curated`; empty for the store. */
  readonly area: string;
  readonly message: string;
  readonly remedy: string;
  /** Repairs it without loss. */
  readonly repair?: () => void;
};

export type CheckContext = Pick<OpenStore, 'root' | 'database' | 'configuration' | 'schemas'> & {
  readonly areas: readonly StoreArea[];
  /** The finding of {@link lostLog} before the database was opened. */
  readonly lostLog: string | undefined;
  /** Whether the store is a directory, and no database elsewhere. */
  readonly isDirectory: boolean;
  /** Whether a service runs on it. */
  readonly isRunning: boolean;
  /** Whether records that do not fit the schema of their collection are found, too. */
  readonly withRecords: boolean;
};

export type Check = (checked: CheckContext) => AsyncIterable<Finding> | Iterable<Finding>;

/** A finding that does not stop the service. */
export function warning(check: string, message: string, remedy: string, area = ''): Finding {
  return { severity: 'warning', check, area, message, remedy };
}

export function error(check: string, message: string, remedy: string, area = ''): Finding {
  return { severity: 'error', check, area, message, remedy };
}

/** The name of an area in findings. */
export const nameOf = ({ collection, area }: StoreArea) => `${collection}/${area}`;
