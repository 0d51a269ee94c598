/** Schema changes as curators and administrators make them: tried out, judged, carried out, undone. */
import { setTimeout as delay } from 'node:timers/promises';
import type { CollectionPart } from '../../core/collections/part.ts';
import type { CollectionStores } from '../../core/collections/stores.ts';
import {
  type ConfiguredTerms,
  type ConfiguredVocabulary,
  type TermSource,
  termsOf,
  withTerms,
} from '../../core/collections/terms.ts';
import { type Administration, replaceSchema } from '../../core/config/administration.ts';
import { type CollectionConfig, entryOf } from '../../core/config/config.ts';
import { keepSchema, OTHER_INSTANCES } from '../../core/config/kept-schemas.ts';
import { openedAddress, storedAddress } from '../../core/config/record.ts';
import { TIMEOUT } from '../../core/durations.ts';
import { ServiceError } from '../../core/errors.ts';
import { refusal } from '../../core/json-schema.ts';
import { requirePids } from '../../core/schema/record-classes.ts';
import type { Schema } from '../../core/schema/schema.ts';
import type { Actor } from '../../core/storage/store.ts';
import { recordsChanged, type SCHEMA_CHANGES } from '../../core/work/kept-plans.ts';
import {
  type DryRun,
  type DryRunOf,
  type DryRuns,
  dryRunUnknown,
  keepDryRun,
  keptDryRun,
} from './dry-runs.ts';
import type { Correction } from './judged.ts';
import {
  type Chosen,
  listSwitches,
  type SchemaVersion,
  type Switching,
  type SwitchPlan,
  switchSchema,
  undoSwitch,
} from './switch.ts';

export type Changing = CollectionStores & {
  readonly config: CollectionConfig;
  /** The parts of modules, which keep what a schema decides. */
  readonly attached: ReadonlyMap<string, CollectionPart>;
};

export type SchemaChangeParts = {
  /** The store directory. */
  readonly root: string;
  readonly registry: {
    /** The collection as it runs now. @throws ServiceError `collection_unknown` */
    collection(name: string): CollectionStores;
    /** A schema that is tried out, with the vocabularies of a configuration. @throws ServiceError `schema_invalid` */
    trySchema(
      trial: {
        readonly address: string;
        readonly text?: string | undefined;
        readonly only?: ReadonlySet<string> | undefined;
      },
      vocabularies: ConfiguredTerms,
    ): Promise<Schema>;
    readonly terms: Pick<TermSource, 'fetch'>;
  };
  /** Those of all collections. */
  readonly dryRuns: DryRuns;
};

/** A change that is tried out: the text of a schema, the address at which it is found, or vocabularies. */
type Tried = {
  readonly schema?: string;
  readonly address?: string;
  /** By name: other sources, nothing for the source as it is now, null to remove the vocabulary. */
  readonly vocabularies?: Readonly<Record<string, Partial<ConfiguredVocabulary> | null>>;
};

type ListedChange = SwitchPlan & { readonly kind: (typeof SCHEMA_CHANGES)[number] };

const OTHER_SCHEMA = 'The collection has another schema by now.';
/** The schema changes of a collection. */
export class SchemaChanges {
  readonly #collection: Changing;
  readonly #parts: SchemaChangeParts;

  constructor(collection: Changing, parts: SchemaChangeParts) {
    this.#collection = collection;
    this.#parts = parts;
  }

  /**
   * Begins a dry run, and waits a moment for its end.
   *
   * @param by the user
   * @param isAdministrator what the service reads from disk or the network is for administrators to choose
   * @throws ServiceError `schema_invalid`, `permission_missing`, `too_many_requests`
   */
  async tryOut(
    { schema: text, address, vocabularies: wanted }: Tried,
    by: string,
    isAdministrator: boolean,
  ): Promise<DryRun> {
    if (address !== undefined && !isAdministrator)
      throw new ServiceError(
        'permission_missing',
        'Rehearsing the schema at an address requires an admin token; curators send its text.',
      );
    const collection = this.#collection;
    const only = isAdministrator ? undefined : new Set(collection.schema.files);
    const read = address ?? collection.schema.address;
    const vocabularies = await this.#take(termsOf(collection.config), wanted, isAdministrator);
    const to = await this.#parts.registry.trySchema({ address: read, text, only }, vocabularies);
    requirePids(to, collection.config);
    const dryRun = this.start({ to, by, text, vocabularies });
    await keepDryRun(collection, dryRun.id, {
      from: collection.schema.digest,
      to: to.digest,
      address: read,
      vocabularies,
      text: text ?? null,
      only: only ? [...only] : null,
    });
    return finished(dryRun);
  }

  /** Begins a dry run of an opened schema. @throws ServiceError `too_many_requests` */
  start(of: Omit<DryRunOf, 'stores'>, id?: string): DryRun {
    return this.#parts.dryRuns.start({ ...of, stores: this.#collection }, id);
  }

  /** The vocabularies of a collection after a change, with snapshots of the sources as they are now. */
  async #take(
    configured: ConfiguredTerms = {},
    wanted: NonNullable<Tried['vocabularies']> = {},
    isAdministrator: boolean,
  ): Promise<ConfiguredTerms> {
    const next = new Map(Object.entries(configured));
    for (const [name, change] of Object.entries(wanted)) {
      const former = entryOf(configured, name);
      const source = change?.source ?? former?.source;
      next.delete(name);
      if (change === null) continue;
      if (source === undefined) throw sourceMissing(name);
      const isSame = source === former?.source && (change.format ?? former.format) === former.format;
      if (!isSame && !isAdministrator)
        throw new ServiceError(
          'permission_missing',
          'Rehearsing another source of a vocabulary requires an admin token.',
        );
      const { format } = change;
      const { format: _, snapshot: __, ...kept } = former ?? {};
      const other = { ...kept, source, ...(format !== undefined && { format }) };
      const vocabulary = isSame ? former : other;
      next.set(name, await this.#parts.registry.terms.fetch(vocabulary));
    }
    return next.size > 0 ? Object.fromEntries(next) : undefined;
  }

  /** A dry run, which is repeated if another process has made it. @throws ServiceError `rehearsal_unknown` */
  async find(id: string, by: string): Promise<DryRun> {
    const collection = this.#collection;
    const known = this.#parts.dryRuns.get(collection.name, id);
    if (known) return known;
    const kept = await keptDryRun(collection, id);
    if (!kept) throw dryRunUnknown(collection.name, id);
    const text = kept.text ?? undefined;
    const only = kept.only ? new Set(kept.only) : undefined;
    const { vocabularies } = kept;
    const to = await this.#parts.registry.trySchema({ address: kept.address, text, only }, vocabularies);
    if (to.digest !== kept.to) throw dryRunUnknown(collection.name, id);
    const again = { to, by, text, vocabularies };
    return finished(this.#parts.dryRuns.get(collection.name, id) ?? this.start(again, id));
  }

  /** Carries out what was tried. @throws ServiceError `precondition_failed`, `schema_breaks_records`, `busy` */
  async switchTo(
    administration: Administration,
    dryRun: DryRun,
    choice: {
      readonly chosen: Chosen;
      readonly ifValid: boolean;
      readonly corrections?: ReadonlyMap<string, Correction>;
    },
    by: Actor,
  ): Promise<SwitchPlan> {
    const collection = this.#collection;
    this.#requireCurrent();
    if (dryRun.stores.schema !== collection.schema) throw await this.#outdated(dryRun);
    const { text, vocabularies } = dryRun;
    if (text !== undefined && collection.database.dialect.name === 'postgresql') throw again(OTHER_INSTANCES);
    const address =
      text === undefined ? dryRun.to.address : await keepSchema(this.#root, collection.name, text);
    const to = await this.#parts.registry.trySchema({ address }, vocabularies);
    if (text === undefined && to.digest !== dryRun.to.digest)
      throw again('The schema has changed since the rehearsal.');
    if (text !== undefined && !isSameSchema(to, dryRun.to))
      throw again('The schema has relative imports: make it available at an address.');
    const plan = await switchSchema(
      collection,
      { to, address, by, ...choice, vocabularies, formerVocabularies: termsOf(collection.config) },
      this.#switching(administration, by),
    );
    return this.#opened(plan);
  }

  /** Undoes a switch. @throws ServiceError `switch_unknown`, `precondition_failed` */
  async undo(administration: Administration, id: string, by: Actor): Promise<SwitchPlan> {
    this.#requireCurrent();
    const isThere = async ({ address, vocabularies, digest }: SchemaVersion) => {
      const there = { address: openedAddress(this.#root, address) };
      return (await this.#parts.registry.trySchema(there, vocabularies)).digest === digest;
    };
    const switching = this.#switching(administration, by);
    return this.#opened(await undoSwitch(this.#collection, id, by, isThere, switching));
  }

  /** The switches of a collection, newest first. */
  async list(limit: number): Promise<ListedChange[]> {
    return (await listSwitches(this.#collection, limit)).map((plan) => this.#opened(plan));
  }

  #opened(plan: SwitchPlan): ListedChange {
    const opened = (version: SchemaVersion) => ({
      ...version,
      address: openedAddress(this.#root, version.address),
    });
    const kind = plan.by === null ? 'edit' : plan.undoes === null ? 'switch' : 'undo';
    return { ...plan, kind, from: opened(plan.from), to: opened(plan.to) };
  }

  get #root(): string {
    return this.#parts.root;
  }

  /** Another change may have ended since the request began. */
  #requireCurrent(): void {
    const { name, schema } = this.#collection;
    if (this.#parts.registry.collection(name).schema !== schema) throw again(OTHER_SCHEMA);
  }

  /** Why what was tried on a former schema is refused: it may have been carried out, and the answer was lost. */
  async #outdated({ stores, to }: DryRun): Promise<ServiceError> {
    const { schema } = this.#collection;
    const [last] = await this.list(1);
    const isCarriedOut =
      last?.kind === 'switch' && last.from.digest === stores.schema.digest && isSameSchema(to, schema);
    return isCarriedOut
      ? recordsChanged(`The schema of the rehearsal is in force, by the schema change '${last.id}'.`)
      : again(OTHER_SCHEMA);
  }

  #switching(administration: Administration, { author }: Actor): Switching {
    const { name, config, attached } = this.#collection;
    return {
      configure: ({ address, vocabularies }, also) =>
        replaceSchema(
          administration,
          {
            name,
            former: config,
            address: openedAddress(this.#root, address),
            others: withTerms(vocabularies),
          },
          author,
          also,
        ),
      async carry(draft, step) {
        for (const part of attached.values()) await part.migrate?.(draft, step);
      },
      stored: (address) => storedSchema(this.#root, this.#collection, address),
    };
  }
}

/** The address of a schema as plans keep it: instances of another database may have other directories. */
export function storedSchema(
  root: string,
  { database }: Pick<Changing, 'database'>,
  address: string,
): string {
  return database.dialect.name === 'sqlite' ? storedAddress(root, address) : address;
}

const isSameSchema = (one: Schema, other: Schema) =>
  JSON.stringify(one.merged()) === JSON.stringify(other.merged());

function sourceMissing(name: string): ServiceError {
  const loc = ['body', 'vocabularies', name, 'source'];
  const msg = `the collection has no vocabulary ${name}, so its source is required`;
  return refusal('payload_invalid', [{ type: 'missing', loc, msg }]);
}

async function finished(dryRun: DryRun): Promise<DryRun> {
  await Promise.race([dryRun.done, delay(TIMEOUT.dryRun, undefined, { ref: false })]);
  return dryRun;
}

function again(message: string): ServiceError {
  return recordsChanged(`${message} Rehearse it again.`);
}
