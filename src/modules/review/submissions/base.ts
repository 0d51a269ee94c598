/** Keeps the record that a submission was made from, so that it can be compared and merged later. */
import type { StoreContext } from '../../../core/collections/area.ts';
import { atRevision, isVersion, type Version } from '../../../core/records/condition.ts';
import { scanEntries } from '../../../core/storage/read/paging.ts';
import type { ReviewParts } from '../parts.ts';
import type { RecordVersion } from './review-draft.ts';
import type { Submission } from './submission.ts';

/** The context of a change of a zone, besides its note. */
export type SubmissionContext = StoreContext & {
  /** The submission before the accept that is undone. */
  readonly restored?: Partial<Submission>;
};

export type Base = Pick<Submission, 'base_known' | 'base_revision' | 'base_class' | 'base_json'>;

export const UNKNOWN_BASE: Base = { base_known: 0, base_revision: null, base_class: null, base_json: null };

export function baseOf(row: Base): Base {
  const { base_known, base_revision, base_class, base_json } = row;
  return { base_known, base_revision, base_class, base_json };
}

export function baseFrom(curated: Pick<RecordVersion, 'className' | 'json' | 'revision'> | undefined): Base {
  return {
    base_known: 1,
    base_revision: curated?.revision ?? null,
    base_class: curated?.className ?? null,
    base_json: curated?.json ?? null,
  };
}

/** A former state of the curated record; unknown if its entry is gone, or is about another record. */
export async function namedBase(
  { curated, curatedScope }: ReviewParts,
  iri: string,
  named: Version | 'unresolved',
): Promise<Base> {
  if (named === 'unresolved' || named.scope !== curatedScope) return UNKNOWN_BASE;
  const bounds = 'revision' in named ? atRevision(named.revision) : {};
  for await (const entry of scanEntries(curated, { ...bounds, iris: [iri], newestFirst: true })) {
    const { className, json, revision } = entry;
    if (json !== null && isVersion(named, curatedScope, { json, revision }))
      return baseFrom({ className, json, revision });
  }
  return UNKNOWN_BASE;
}
