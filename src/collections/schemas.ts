/** Schemas, opened once for each address and shared by all collections that name it. */
import { join } from 'node:path';
import type { Configuration } from '../config/config.ts';
import { PRIVATE_FOLDER } from '../config/paths.ts';
import {
  openSchema,
  openSchemaText,
  type Schema,
  type SchemaMap,
  type SchemaOptions,
  schemaMap,
} from '../schema/schema.ts';
import type { StoreLog } from '../storage/log.ts';

/** @throws ServiceError `schema_invalid` */
export type SchemaOpener = (address: string) => Promise<Schema>;

export class Schemas {
  readonly #storeRoot: string;
  /** The map of the command line, which comes before that of the configuration. */
  readonly #given: SchemaMap;
  #options: SchemaOptions;
  readonly #log: StoreLog;
  /** The last one of each address. */
  readonly #known = new Map<string, Schema>();

  /**
   * @param storeRoot the store directory; copies of remote schemas are kept in it for a start without their host
   * @param map folders that schemas below some URLs are read from
   * @param options `release` of this program, to keep schemas in parsed form for its next start; `hosts` on this machine
   *   or link that may be asked for schemas, without it all may be; `keep` false to write nothing into the store;
   *   `terms` of the vocabularies that all schemas share
   */
  constructor(
    storeRoot: string,
    log: StoreLog,
    map: SchemaMap = new Map(),
    options: Pick<SchemaOptions, 'release' | 'hosts' | 'keep' | 'terms'> = {},
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
    return (address) => {
      const schema = begun.get(address) ?? this.#open(address);
      begun.set(address, schema);
      return schema;
    };
  }

  /**
   * A schema that is tried out and not kept: from an address, or from a document as if it were found there.
   *
   * @param only the files that the document may import; all without it
   * @throws ServiceError `schema_invalid`
   */
  trial(address: string, text?: string, only?: ReadonlySet<string>): Promise<Schema> {
    const { release: _, ...unkept } = this.#options;
    const options = { ...unkept, ...(only && { only }) };
    if (text === undefined) return openSchema(address, options);
    return openSchemaText(text, address, options, 'body.schema');
  }

  /** The schema as it is now: the one that is in use already, unless a file of it has changed. */
  async #open(address: string): Promise<Schema> {
    const warn = (message: string) => this.#log.warn({ schema: address }, message);
    const schema = await openSchema(address, { ...this.#options, warn });
    const known = this.#known.get(address);
    if (known?.digest === schema.digest) return known;
    this.#known.set(address, schema);
    for (const warning of schema.warnings) warn(warning);
    return schema;
  }
}
