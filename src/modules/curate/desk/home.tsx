/** What the home view shows of curation: how many records there are to mend in the collection. */
import type { HomeParts } from '../../../../ui/module.ts';
import { isPassing, useLoad } from '../../../../ui/shared/load.ts';
import { urlOf } from '../../../../ui/shared/router.ts';
import { written } from '../../../../ui/shared/schema.ts';
import { asClientError, lab } from '../../../../ui/shared/service.ts';
import { may } from '../../../../ui/shared/session.ts';
import { curate } from '../client.ts';
import { tc } from './texts.ts';

/** The sections that list what is to be mended, with the line that counts it. */
const SECTIONS = [
  ['duplicates', 'foundDuplicates'],
  ['dangling', 'foundDangling'],
  ['faults', 'foundFaults'],
] as const;
/** Missing records are counted up to this number. */
const MOST_COUNTED = 100;

/** The count of each section, as it is shown. */
type Counts = Readonly<Record<(typeof SECTIONS)[number][0], { readonly n: number; readonly more: boolean }>>;

export function useHome(collection: string | undefined): HomeParts {
  const {
    value: counts,
    error,
    reload: retry,
  } = useLoad(
    collection !== undefined && may(collection, 'curate') ? collection : undefined,
    (signal) => readCounts(collection!, signal),
    written.value,
  );
  const lines = SECTIONS.filter(([name]) => counts && counts[name].n > 0).map(([name, text]) => (
    <li key={name}>
      <a class="line" href={urlOf([collection!, 'stewardship', name])}>
        <span class="what">
          {counts![name].more && '≥ '}
          {tc(text, { n: counts![name].n })}
        </span>
      </a>
    </li>
  ));
  return { tasks: [], lines, beside: [], failed: error && { error, retry } };
}

/** Counts what is to be mended. A count that the service refuses is 0. */
async function readCounts(collection: string, signal: AbortSignal): Promise<Counts> {
  const curation = lab(collection, signal).use(curate);
  const [duplicates, dangling, faults] = await Promise.all([
    curation.duplicates({ limit: 1 }).catch(ifRefused({ total: 0 })),
    curation.dangling(MOST_COUNTED).catch(ifRefused({ items: [], more: false })),
    curation.faults(1).catch(ifRefused({ total: 0 })),
  ]);
  return {
    duplicates: { n: duplicates.total, more: false },
    dangling: { n: dangling.items.length, more: dangling.more },
    faults: { n: faults.total, more: false },
  };
}

function ifRefused<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isPassing(asClientError(error).status)) throw error;
    return value;
  };
}
