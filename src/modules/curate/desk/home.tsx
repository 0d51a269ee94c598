/** Lists the faults to mend in a collection, with counts. */

import { urlOf } from '../../../../ui/shared/router.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { t } from '../../../../ui/texts/texts.ts';
import { curate } from '../client.ts';

const SECTIONS = ['duplicates', 'dangling', 'faults'] as const;
/** Missing records are counted up to this number. */
const MOST_COUNTED = 100;

/** The count of each section, as it is shown. */
type Counts = Readonly<Record<(typeof SECTIONS)[number], { readonly n: number; readonly more: boolean }>>;

/** Counts what is to be mended; a count that cannot be read is 0. */
export async function readToMend(collection: string, signal: AbortSignal): Promise<Counts> {
  const curation = lab(collection, signal).use(curate);
  const [duplicates, dangling, faults] = await Promise.all([
    curation.duplicates({ limit: 1 }).catch(() => ({ total: 0 })),
    curation.dangling(MOST_COUNTED).catch(() => ({ items: [], more: false })),
    curation.faults(1).catch(() => ({ total: 0 })),
  ]);
  return {
    duplicates: { n: duplicates.total, more: false },
    dangling: { n: dangling.items.length, more: dangling.more },
    faults: { n: faults.total, more: false },
  };
}

export function ToMend({ collection, counts }: { collection: string; counts: Counts }) {
  const sections = SECTIONS.filter((name) => counts[name].n > 0);
  if (sections.length === 0) return null;
  return (
    <>
      <div class="head">
        <h2>{t('home.mend')}</h2>
      </div>
      <ul class="list">
        {sections.map((name) => (
          <li key={name}>
            <a class="line" href={urlOf([collection, 'stewardship', name])}>
              <span class="what">
                {counts[name].more && '≥ '}
                {t(`home.${name}`, { n: counts[name].n })}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
