/** Pairs of curated records that may be about the same thing: merge them, or say that they are different. */

import { useState } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Empty, ErrorNote, Loading } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { localPart, slotTitle, written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { RecordLink } from '../../../../ui/shared/tile.tsx';
import { toast } from '../../../../ui/shared/toast.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { Duplicates as Found } from '../api-types.ts';
import { curate } from '../client.ts';
import { Compared, readIdentifying } from './compared.tsx';
import { tc } from './texts.ts';

type ListedRecord = Found['items'][number]['records'][number];
const PAGE = 50;

export function Duplicates({ collection }: ViewProps) {
  const [limit, setLimit] = useState(PAGE);
  const { value, error, reload } = useLoad(`${collection}/${limit}/${written.value}`, (signal) =>
    lab(collection, signal).use(curate).duplicates({ limit }),
  );
  const { value: known } = useLoad(collection, (signal) => readIdentifying(collection, signal));
  /** The titles of the slots whose values are the same, several of a unique key. */
  const slotsOf = (by: string) => {
    const slots = known?.classes.flatMap((description) => description.slots) ?? [];
    const titleOf = (name: string) => {
      const slot = slots.find((one) => one.name === name);
      return slot ? slotTitle(slot) : name.replaceAll('_', ' ');
    };
    return by.split('+').map(titleOf).join(', ');
  };
  const judge = useAction(async (a: ListedRecord, b: ListedRecord, different: boolean) => {
    await lab(collection).use(curate).different([a.pid, b.pid], different);
    if (different) toast(tc('differentDone', { a: nameOf(a), b: nameOf(b) }), () => judge.run(a, b, false));
    afterWrite();
  });
  if (error || !value) return <Loading error={error} retry={reload} />;
  if (value.items.length === 0)
    return (
      <>
        <Empty title={tc('duplicatesNone')}>{!value.typos && <p>{tc('duplicatesWithoutTypos')}</p>}</Empty>
        <Compared collection={collection} />
      </>
    );
  return (
    <>
      <p class="lead-text muted">
        {tc('duplicatesHelp')} {!value.typos && tc('duplicatesWithoutTypos')}
      </p>
      <Compared collection={collection} />
      {judge.error && <ErrorNote error={judge.error} />}
      <ul class="list">
        {value.items.map((pair) => {
          const [a, b] = pair.records;
          if (!a || !b) return null;
          return (
            <li class="line" key={`${a.pid} ${b.pid}`}>
              <div class="stack-s">
                <RecordLink collection={collection} pid={a.pid} />
                <RecordLink collection={collection} pid={b.pid} />
                <span class="faint small">
                  {pair.by === 'title' ? tc('byTitle') : tc('byIdentifier', { slots: slotsOf(pair.by) })}
                </span>
              </div>
              <p class="btns">
                <button
                  type="button"
                  class="btn"
                  aria-label={`${tc('different')}: ${tc('about', { a: nameOf(a), b: nameOf(b) })}`}
                  disabled={judge.busy}
                  onClick={() => judge.run(a, b, true)}
                >
                  {tc('different')}
                </button>
                <a
                  class="btn primary"
                  aria-label={`${tc('mergeWith')} ${tc('about', { a: nameOf(a), b: nameOf(b) })}`}
                  href={urlOf([collection, 'merge'], { keep: a.pid, drop: b.pid })}
                >
                  {tc('mergeWith')}
                </a>
              </p>
            </li>
          );
        })}
      </ul>
      {value.items.length < value.total && (
        <p class="btns">
          <button type="button" class="btn" onClick={() => setLimit(limit + PAGE)}>
            {t('action.more')}
          </button>
          <span class="muted small">{tc('of', { n: value.items.length, total: value.total })}</span>
        </p>
      )}
    </>
  );
}

function nameOf({ pid, title }: ListedRecord): string {
  return title ?? localPart(pid);
}
