/** The commands of a module. What a command runs is loaded when it runs. */
import type { CollectionSettings } from '../client/client.ts';
import type { SourceSchemas } from '../core/access/sources.ts';
import type { StoreAdoption } from '../core/collections/adoption.ts';
import type { AreaLogs } from '../core/collections/area-logs.ts';
import type { OpenTerms } from '../core/collections/terms.ts';
import type { ConfigurationKeys } from '../core/config/config.ts';
import type { Reader } from '../core/storage/reader.ts';
import type { ModuleTables } from '../core/storage/tables.ts';
import type { Output } from './client/export-output.ts';
import type { ExportSource } from './client/export-source.ts';
import type { ImportJob } from './client/sources.ts';
import type { Command } from './command.ts';
import type { FileFormats } from './file-formats.ts';
import type { ValidationOptions, ValidationResult } from './offline/judge.ts';
import type { OpenStore } from './opened-store.ts';
import type { Check } from './operator/check/finding.ts';

export type CommandModule = {
  /** The name of its folder. */
  readonly name: string;
  /** Names of earlier releases, with those that its commands have now. */
  readonly former?: Readonly<Record<string, string>>;
  /** Adds commands for all users of a service, over HTTP, and in their groups those that work on its store. */
  addClient?(program: Command, openStore: OpenBeside): void;
  /** Adds commands that operate on a store. */
  addOperator?(program: Command, openStore: OpenToRead): void;
  /** Adds commands that work with files. */
  addOffline?(program: Command): void;
  /** Adds commands below `curate`. */
  addCuration?(curate: Command): void;
  /** Adds commands below `schema`, also those that read a store. */
  addSchema?(schema: Command, openStore: OpenToRead): void;
  /** Options of `curate settings` for the keys that the module has in the settings of a collection. */
  readonly settings?: {
    addOptions(settings: Command): void;
    load(): Promise<SettingsOfOptions>;
  };
  /** Its formats of files with records. */
  readonly files?: ModuleFiles;
  /** Loads its tables, if commands read them in a store. One without them is refused. */
  tables?(): Promise<ModuleTables>;
  /** Loads what `accession check` finds about it in a store. */
  check?(): Promise<Check>;
  /** Whether areas are kept as files by it, which its check compares with the records. One module does. */
  readonly keepsFiles?: true;
  /** Loads its keys in the configuration of a collection. */
  configuration?(): Promise<ConfigurationKeys>;
  /** Loads its types of entries in `auth_sources`. One module has some. */
  sources?(): Promise<SourceSchemas>;
  /** Loads its adoption of stores of another program, which a service runs in a process. One module has it. */
  adoption?(): Promise<StoreAdoption>;
  /** Loads its logs of the changes of areas, which are exported. One module has them. */
  logs?(): Promise<AreaLogs>;
  /** Opens the vocabularies that a store keeps, whose terms schemas name. */
  storedTerms?(reader: Reader): Promise<OpenTerms>;
};

/** Formats of files that `import`, `export` and `validate` read and write beside those of texts. */
export type ModuleFiles = {
  readonly formats: FileFormats;
  /** Adds the options of reading such files. */
  addOptions(command: Command, name: 'import' | 'validate'): void;
  /** The formats that each of these options is for, by its name in code. */
  readonly optionFormats: Readonly<Record<string, readonly string[]>>;
  load(): Promise<FileFunctions>;
};

/** The options of a command, by their names in code. */
export type GivenOptions = Readonly<Record<string, unknown>>;

export type FileFunctions = {
  /** Stores the records of a file. @returns the exit status */
  importFile(job: ImportJob, kind: string, options: GivenOptions): Promise<number>;
  validateFile(
    path: string,
    kind: string,
    options: ValidationOptions,
    reading: GivenOptions,
  ): ValidationResult | Promise<ValidationResult>;
  /** Those of the formats that are written. */
  readonly writers: Readonly<Record<string, Writer>>;
};

/** Writes all records of an export, and returns their number. */
export type Writer = (source: ExportSource, to: Output) => Promise<number>;

/**
 * Opens a store beside a service that may run on it, to write what the service keeps nothing of.
 *
 * @param place a directory or the URL of a database
 */
export type OpenBeside = (place: string) => Promise<OpenStore>;

/** Opens a store beside a service that may run on it, only to read. */
export type OpenToRead = (place: string) => Promise<OpenStore>;

/** Returns the change of the stored settings that options ask for; undefined without such options. */
export type SettingsOfOptions = (
  options: GivenOptions,
) => ((stored: CollectionSettings) => CollectionSettings) | undefined;
