/** Schemas, opened once for each address and shared by all collections that name it. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Configuration } from '../config/config.ts';
import { PRIVATE_FOLDER } from '../config/paths.ts';
import { isRelative, storedAddress } from '../config/record.ts';
import { ServiceError } from '../errors.ts';
import { urlOf } from '../schema/remote.ts';
import {
  bytesOf,
  fromPieces,
  openSchema,
  openSchemaText,
  type Schema,
  type SchemaMap,
  type SchemaOptions,
  type SharedTerms,
  schemaMap,
} from '../schema/schema.ts';
import { mappedUrl } from '../schema/schema-map.ts';
import type { StoreLog } from '../storage/log.ts';
import type { Pool } from '../work/pool.ts';
import { filesOfSchema } from '../work/tasks.ts';
import { yielder } from '../yield.ts';

/** @throws ServiceError `schema_invalid` */
export type SchemaOpener = (address: string, terms?: SharedTerms) => Promise<Schema>;

/** A schema that is tried out. */
export type Trial = {
  readonly address: string;
  /** Its text, as if it were found at the address. */
  readonly text?: string | undefined;
  /** The only files that the text may import; all without it. */
  readonly only?: ReadonlySet<string> | undefined;
  readonly terms: SharedTerms;
};

export class Schemas {
  readonly #storeRoot: string;
  /** The map of the command line, which comes before that of the configuration. */
  readonly #given: SchemaMap;
  #options: SchemaOptions;
  readonly #log: StoreLog;
  /** The last one of each address and names of vocabularies. */
  readonly #known = new Map<string, Schema>();

  /**
   * @param storeRoot the store directory; copies of remote schemas are kept in it for a start without their host
   * @param map folders that schemas below some URLs are read from
   * @param options `hosts` on this machine or link that may be asked for schemas, without it all may be; `keep` false to
   *   write nothing into the store
   */
  constructor(
    storeRoot: string,
    log: StoreLog,
    map: SchemaMap = new Map(),
    options: Pick<SchemaOptions, 'hosts' | 'keep'> = {},
  ) {
    this.#storeRoot = storeRoot;
    this.#given = map;
    this.#options = { cacheDir: join(storeRoot, PRIVATE_FOLDER, 'schemas'), map, ...options };
    this.#log = log;
  }

  /**
   * Reads from now on by the `schema_map` of a configuration too, but for prefixes that the command line has given a
   * folder. Folders may be relative to the store directory.
   *
   * @throws ServiceError `config_invalid` for a prefix that is not a URL, or a missing folder
   */
  useMap(configured: Configuration['schema_map'] = {}): void {
    this.#options = {
      ...this.#options,
      map: schemaMap(Object.entries(configured), this.#storeRoot, this.#given),
    };
  }

  /** For one change of the configuration: every URL is read again, but only once. */
  reading(): SchemaOpener {
    const begun = new Map<string, Promise<Schema>>();
    return (address, terms = {}) => {
      const key = JSON.stringify([
        address,
        Object.entries(terms).map(([name, { digest }]) => [name, digest]),
      ]);
      const schema = begun.get(key) ?? this.#open(address, terms);
      begun.set(key, schema);
      return schema;
    };
  }

  /**
   * A schema that is tried out and not kept. It is opened in a thread first, so that others wait for one that is refused no
   * longer than for a short one.
   *
   * @throws ServiceError `schema_invalid`, `task_timeout`
   */
  async trial(pool: Pool, { address, text, only, terms }: Trial): Promise<Schema> {
    const options = { ...this.#options, ...(only && { only }) };
    const place = text === undefined ? address : 'body.schema';
    const tried = { address, text, options, place, vocabularies: bytesOf(terms) };
    const { sources, pieces, ...read } = await pool.run(filesOfSchema, tried);
    const file = await fromPieces(read.text, pieces, yielder());
    return openSchemaText(file, address, { sources, terms }, place);
  }

  /**
   * Where a source that a configuration names is read: at its URL, or in the folder that the map has for it. A relative path
   * is one in the store directory.
   *
   * @throws ServiceError `schema_invalid` for a URL that is not one
   */
  locate(source: string): URL {
    const isUrl = /^(https?|file):/i.test(source);
    const url = isUrl ? urlOf(source) : pathToFileURL(resolve(this.#storeRoot, source));
    return (this.#options.map && mappedUrl(url, this.#options.map)) ?? url;
  }

  /** The schema as it is now: the one that is in use already, unless a file of it has changed. */
  async #open(address: string, terms: SharedTerms): Promise<Schema> {
    const within = storedAddress(this.#storeRoot, address);
    if (isRelative(within) && !existsSync(resolve(this.#storeRoot, within))) throw missing(within);
    const warn = (message: string) => this.#log.warn({ schema: address }, message);
    const schema = await openSchema(address, { ...this.#options, warn, terms });
    const key = JSON.stringify([address, ...Object.keys(terms)]);
    const known = this.#known.get(key);
    if (known?.digest === schema.digest) return known;
    this.#known.set(key, schema);
    for (const { msg } of schema.warnings) warn(msg);
    return schema;
  }
}

/** The refusal of an address that is relative to the store directory, or was relative and is found nowhere. */
function missing(path: string): ServiceError {
  return new ServiceError(
    'schema_invalid',
    `The schema ${path} does not exist in the store directory, nor in the working directory of the service. ` +
      'Use a file in the store, an absolute path or a URL, or start the service where the file is.',
  );
}
