/**
 * The errors of the service: one class, and the codes of the core, to which modules add theirs.
 *
 * Every room throws {@link ServiceError}, and the LinkML engine `LinkmlError`, whose codes are among these: {@link isServiceError} is
 * true for both. The status of a code is in `http/reply.ts`, or in the `codes.ts` of its module. Every code is explained in
 * `docs/errors.md` or the page of its module, and a test compares the lists.
 */

import { LinkmlError, type Problem } from '#linkml/errors.ts';
import { parseJson } from '#linkml/json.ts';

export type { Problem } from '#linkml/errors.ts';

/** The codes of the core. */
export type CoreCode =
  // the request
  | 'body_malformed'
  | 'request_malformed'
  | 'headers_too_large'
  | 'body_too_large'
  | 'record_invalid'
  | 'batch_refused'
  | 'prefix_unknown'
  | 'conversion_failed'
  | 'parameter_invalid'
  | 'payload_invalid'
  | 'header_conflict'
  | 'precondition_failed'
  | 'too_many_records'
  | 'search_too_broad'
  | 'request_timeout'
  | 'busy'
  | 'task_timeout'
  | 'too_many_requests'
  | 'stopping'
  // who asks
  | 'token_required'
  | 'token_refused'
  | 'permission_missing'
  | 'maintenance'
  | 'maintenance_refused'
  | 'policies_unavailable'
  | 'read_only'
  // what is asked for
  | 'route_unknown'
  | 'method_not_allowed'
  | 'collection_unknown'
  | 'collection_unavailable'
  | 'class_unknown'
  | 'label_unknown'
  | 'token_unknown'
  | 'admin_token_unknown'
  | 'record_missing'
  | 'record_referenced'
  | 'revision_gone'
  // merging and undoing
  | 'merge_conflict'
  | 'already_undone'
  // configuration
  | 'config_invalid'
  | 'admin_token_missing'
  | 'schema_invalid'
  | 'store_incompatible'
  | 'path_outside_store'
  | 'path_not_directory'
  | 'incoming_missing'
  | 'label_missing'
  | 'default_token_kept'
  | 'default_token_permits_more'
  | 'default_token_expired'
  | 'last_admin_token'
  | 'hash_malformed'
  | 'name_taken'
  | 'name_reserved'
  | 'representation_taken'
  | 'policy_info_missing'
  | 'policy_info_unreadable'
  // the service itself
  | 'storage_failed'
  | 'storage_damaged'
  | 'storage_unavailable'
  | 'storage_full'
  | 'internal';

/** The codes of modules: each module declares its own, in its file `codes.ts`. */
// biome-ignore lint/suspicious/noEmptyInterface: declarations of modules are merged with it
export interface ModuleCodes {}

/** Every reason for which the service refuses something. */
export type ErrorCode = CoreCode | keyof ModuleCodes;

/** Problems of one input that are listed: each may repeat what is expected, or what was found. */
const MOST_LISTED = 100;

/** The first problems, and how many are not listed. */
export function firstProblems<P extends Problem>(
  problems: readonly P[],
  most = MOST_LISTED,
): (P | Problem)[] {
  if (problems.length <= most) return [...problems];
  const msg = `${problems.length - most} more problems are not listed.`;
  return [...problems.slice(0, most), { type: 'more_problems', loc: [], msg }];
}

/**
 * An error with a code that clients can rely on, and a sentence that a person can act on: it begins with a capital, ends
 * with a full stop, and says where, what was found and what was expected. What is put behind a path (`body.name: …`) is
 * the rest of a sentence.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** All problems of the input, if the error is about an input; the message then is their summary. */
  readonly problems: readonly Problem[];

  constructor(code: ErrorCode, message: string, problems: readonly Problem[] = [], options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServiceError';
    this.code = code;
    this.problems = problems;
  }
}

/** Whether an error is reported to clients: one of the service, or one of the LinkML engine, whose codes are among its own. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof ServiceError || error instanceof LinkmlError;
}

/** An error on its way from one thread to another: a copy of the object would lose its code, and numbers their digits. */
export type SentError =
  | { readonly service: Pick<ServiceError, 'code' | 'message' | 'cause'> & { readonly problems: string } }
  | {
      readonly failure: {
        readonly message: string;
        readonly stack?: string | undefined;
        readonly code?: string;
        readonly errcode?: number;
      };
    };

export function sentError(error: unknown): SentError {
  if (isServiceError(error)) {
    const { code, message, problems, cause } = error;
    return { service: { code, message, problems: JSON.stringify(problems), cause } };
  }
  const { message, stack, errcode, code } = error as Error & { errcode?: number; code?: string };
  return {
    failure: {
      message,
      stack,
      ...(errcode !== undefined && { errcode }),
      ...(code !== undefined && { code }),
    },
  };
}

/** Returns anything else as it is. */
export function receivedError(error: unknown): unknown {
  const sent = error as SentError;
  if ('service' in sent) {
    const { code, message, problems, cause } = sent.service;
    return new ServiceError(code, message, parseJson(problems) as unknown as Problem[], { cause });
  }
  return 'failure' in sent ? Object.assign(new Error(sent.failure.message), sent.failure) : error;
}

/** A function for other threads: it throws a {@link SentError}. */
export function inThread<Input, Result>(work: (input: Input) => Result) {
  return async (input: Input): Promise<Awaited<Result>> => {
    try {
      return await work(input);
    } catch (error) {
      throw sentError(error);
    }
  };
}

/** Whether an error of the system or of SQLite says that there is no room on a disk. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: string; errcode?: number };
  return code === 'ENOSPC' || code === 'EDQUOT' || SQLITE_FULL.includes(errcode ?? 0);
}

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: there is no room for the file that connections share. */
const SQLITE_FULL: readonly number[] = [13, 4874];

/** Whether an error of the system or of SQLite says that a file system is read-only. */
export function isReadOnlyDisk(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: string; errcode?: number };
  return code === 'EROFS' || ((errcode ?? 0) & 0xff) === SQLITE_READONLY;
}

const SQLITE_READONLY = 8;

/** Why a request over the network failed, for people: `fetch failed` has a cause, whose code is a system's. */
export function networkFailure(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  const code = cause?.code ?? cause?.message ?? message;
  return FAILURES[code] ?? `the connection failed (${code})`;
}

const FAILURES: Readonly<Record<string, string>> = {
  ERR_INVALID_URL: 'it is not a URL',
  ECONNREFUSED: 'no program listens there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'it does not respond',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  UND_ERR_CONNECT_TIMEOUT: 'it does not respond',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
};

/** Reads an addition to the response of a change; undefined if the storage is away by then, since the change has not failed. */
export async function afterChange<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch((error) => {
    if (isStorageFailure(error)) return undefined;
    throw error;
  });
}

/** Whether the storage failed, not the request: it may be unknown then whether a change was made. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof ServiceError && error.code.startsWith('storage_');
}

/** The refusal of a request becomes the outcome of an item; a failure of the storage does not. */
export async function orRefusal<T>(work: Promise<T>): Promise<T | ServiceError> {
  try {
    return await work;
  } catch (error) {
    if (isServiceError(error) && !isStorageFailure(error)) return error;
    throw error;
  }
}
