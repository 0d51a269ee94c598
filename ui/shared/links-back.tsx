/** Records that refer to a record, grouped by slot. */

import { useState } from 'preact/hooks';
import type { Links } from '../../src/client/client.ts';
import { t } from '../texts/texts.ts';
import { useLoad } from './load.ts';
import { readClass, slotTitle, written } from './schema.ts';
import { lab } from './service.ts';
import { RecordInArea } from './tile.tsx';
import { count } from './time.ts';

const SHOWN = 10;
const READ = 100;
/** The service lists as many at once. */
const MOST_READ = 1000;

/** Lists the records that link to one; `null` if the service cannot list them. */
export async function readLinks(
  collection: string,
  pid: string,
  signal: AbortSignal,
  limit = READ,
): Promise<Links | null> {
  try {
    return await lab(collection, signal).links(pid, { limit });
  } catch {
    return null;
  }
}

export function LinksBack({ collection, pid }: { collection: string; pid: string }) {
  const [most, setMost] = useState(SHOWN);
  const limit = most > READ ? MOST_READ : READ;
  const { value } = useLoad(
    `${collection}/${pid}/${limit}`,
    (signal) => readLinks(collection, pid, signal, limit),
    written.value,
  );
  if (!value) return null;
  // A record refers to another from its curated state and from a submission, and by several values of a slot.
  const once = new Map(value.from.map((link) => [`${link.slot} ${link.pid}`, link]));
  const links = [...once.values()].slice(0, most);
  const groups = Map.groupBy(links, ({ slot }) => slot);
  const rest = value.referrers - new Set(links.map((link) => link.pid)).size;
  return (
    <section aria-label={t('record.links')}>
      <h2>
        {t('record.links')} <span class="n">{`${count(value.referrers)}${value.counted ? '' : '+'}`}</span>
      </h2>
      {value.referrers === 0 && <p class="muted">{t('record.noLinks')}</p>}
      {[...groups].map(([slot, group]) => (
        <div class="stack-s links" key={slot}>
          <p class="faint">
            <SlotName collection={collection} slot={slot} of={group[0]?.class ?? null} />
          </p>
          {group.map((link) => (
            <p key={link.pid}>
              <RecordInArea collection={collection} record={link} />
            </p>
          ))}
        </div>
      ))}
      {rest > 0 && most < MOST_READ && (
        <button type="button" class="linkish" onClick={() => setMost(most * 10)}>
          {t('record.moreLinks', { n: rest })}
        </button>
      )}
      {rest > 0 && most >= MOST_READ && <p class="muted">{t('record.moreLinks', { n: rest })}</p>}
    </section>
  );
}

/** A slot as the schema of a class calls it. */
export function SlotName({
  collection,
  slot: name,
  of,
}: {
  collection: string;
  slot: string;
  of: string | null;
}) {
  const description = useLoad(of === null ? undefined : `${collection}/${of}`, () =>
    readClass(collection, of!),
  ).value;
  const slot = description?.slots.find((one) => one.name === name);
  return slotTitle(slot ?? { name });
}
