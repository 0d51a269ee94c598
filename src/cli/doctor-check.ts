/** What the checks of `accession doctor` share. */
import type { Configuration } from '../config/config.ts';
import type { AreaDirectory } from './areas.ts';

/** One thing that the doctor found. */
export type Ailment = {
  readonly severity: 'error' | 'warning';
  /** The kind of check. */
  readonly check: string;
  readonly message: string;
  /** What mends it. */
  readonly remedy: string;
  /** Mends it, if that loses nothing and no service is in the way. */
  readonly mend?: () => void;
};

/** The store that is examined. */
export type Patient = {
  readonly root: string;
  readonly configuration: Configuration;
  readonly areas: readonly AreaDirectory[];
  readonly isRunning: boolean;
};

export type Check = (patient: Patient) => Promise<Ailment[]> | Ailment[];

/** A finding that does not stop the service. */
export function warning(check: string, message: string, remedy: string): Ailment {
  return { severity: 'warning', check, message, remedy };
}
