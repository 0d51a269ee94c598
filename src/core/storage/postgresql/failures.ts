/** Failures of the driver and of the server as errors of the service. */
import { isServiceError, ServiceError } from '../../errors.ts';
import { NotPrimary } from './primary.ts';

/** SQLSTATE classes and codes after which the same request can succeed a moment later. */
const UNAVAILABLE = /^(08|57000|57P0[1-5]|25P0[34]|25006|26000|53|58000|58030)/;
const CONFLICT = /^(40000|40001|40P01|40003)$/;
const CANCELED = '57014';
const LOCKED = '55P03';
const DISK_FULL = '53100';
/** `character_not_in_repertoire`: the driver sends UTF-8, so it is a NUL. */
const NUL = '22021';
/** Of the system, and of streams that were closed while a query was sent. */
const NETWORK = /^(ECONN|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT|EHOST|ENET|ENOENT|ERR_STREAM_|ERR_SOCKET_CLOSED)/;
/** The driver reports these without a code. */
const DRIVER =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after calling end)/;

type DriverError = Error & { readonly code?: string };

/** Whether the connection is lost or was never made. The outcome of a commit in progress is then unknown. */
export function isConnectionFailure(error: unknown): boolean {
  const { code = '', message = '' } = (error ?? {}) as DriverError;
  return /^(08|57P0[1-5]|25P0[34])/.test(code) || NETWORK.test(code) || DRIVER.test(message);
}

/** The error of the service for a failure of the database; errors of the service pass unchanged. */
export function databaseFailure(error: unknown, doing: string): ServiceError {
  if (isServiceError(error)) return error;
  const { code = '' } = (error ?? {}) as DriverError;
  if (code === DISK_FULL) {
    const message = `${doing} failed, and nothing was changed: the disk of the database has no room left.`;
    return new ServiceError('storage_full', message, [], { cause: error });
  }
  if (code === NUL) {
    const message = 'The request has the character NUL, which the database neither stores nor looks up.';
    return new ServiceError('request_malformed', message, [], { cause: error });
  }
  const { unavailable, reason } = reasonOf(code, error);
  return new ServiceError(
    unavailable ? 'storage_unavailable' : 'storage_failed',
    `${doing} failed: ${reason}.`,
    [],
    {
      cause: error,
    },
  );
}

function reasonOf(code: string, error: unknown): { unavailable: boolean; reason: string } {
  if (error instanceof NotPrimary) return { unavailable: true, reason: error.message };
  if (code === LOCKED) return { unavailable: true, reason: 'another write took too long' };
  if (code === CANCELED) return { unavailable: true, reason: 'the database took too long' };
  if (CONFLICT.test(code)) return { unavailable: true, reason: 'too many writers changed the same records' };
  if (/^timeout exceeded/.test((error as DriverError).message ?? '')) {
    return { unavailable: true, reason: 'no database connection became free in time' };
  }
  if (UNAVAILABLE.test(code) || isConnectionFailure(error)) {
    return { unavailable: true, reason: 'the database is not available' };
  }
  return { unavailable: false, reason: 'the database reported an error' };
}
