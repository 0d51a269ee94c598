/** Merges two curated records: what only one says is kept, and where both differ a side is chosen. */

import { useState } from 'preact/hooks';
import { pointerKeys } from '#linkml/json.ts';
import { useAction } from '../../../../ui/shared/action.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { DifferenceTable, inReadingOrder, referencesIn } from '../../../../ui/shared/difference.tsx';
import { useSlotsOf } from '../../../../ui/shared/inlined.ts';
import { isObject, type Json } from '../../../../ui/shared/json.ts';
import { useKept } from '../../../../ui/shared/kept.ts';
import { useKeys } from '../../../../ui/shared/keys.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { lookedUp } from '../../../../ui/shared/lost-answer.ts';
import type { Choices } from '../../../../ui/shared/merge.ts';
import { Bones, ErrorNote } from '../../../../ui/shared/notes.tsx';
import { readRecord } from '../../../../ui/shared/records.ts';
import { go, place, urlOf, withQuery } from '../../../../ui/shared/router.ts';
import { localPart, readClass, readTitles, written } from '../../../../ui/shared/schema.ts';
import { asClientError, lab } from '../../../../ui/shared/service.ts';
import { MainSheet, Sheets, SideSheet } from '../../../../ui/shared/sheet.tsx';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { RecordLink, useTitles } from '../../../../ui/shared/tile.tsx';
import { Slots } from '../../../../ui/shared/value.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { ClientError, SubmissionDifference } from '../../../client/client.ts';
import type { MoveReport } from '../api-types.ts';
import { curate } from '../client.ts';
import { ChangedRecords } from './changed-records.tsx';
import { moveOf, sayMoved } from './moves.tsx';
import { OtherRecord } from './other-record.tsx';
import { tc } from './texts.ts';

const SIDES = ['curated', 'submitted'] as const;

/** The changes of a merge, or the differences that need a side first. */
type MergeTrial = { readonly report?: MoveReport; readonly conflicts: readonly SubmissionDifference[] };

export function MergeRecords({ collection }: ViewProps) {
  const { query } = place.value;
  const keep = query.get('keep') ?? '';
  const drop = query.get('drop') ?? '';
  return <MergeTwo key={`${keep} ${drop}`} {...{ collection, keep, drop }} />;
}

function MergeTwo({ collection, keep, drop }: ViewProps & { keep: string; drop: string }) {
  const key = `${collection}/${keep}/${drop}/${written.value}`;
  const isChosen = keep !== '' && drop !== '';
  const both = useLoad(isChosen ? key : undefined, async (signal) => {
    const [kept, dropped, titles] = await Promise.all([
      readRecord(collection, keep, { curated: true, signal }),
      readRecord(collection, drop, { curated: true, signal }),
      readTitles(collection, [keep, drop]),
    ]);
    const className = titles.get(keep)?.class;
    // Of a record that does not exist, the dry run says so.
    return className ? { kept, dropped, description: await readClass(collection, className) } : undefined;
  });
  const [choices, setChoices, forget] = useKept<Choices>(`merge/${collection}/${keep}/${drop}`, {});
  const first = useLoad(isChosen ? key : undefined, (signal) => attempt(collection, keep, drop, {}, signal));
  const described = both.value?.description;
  const slotsOf = useSlotsOf(collection, described?.slots ?? []);
  const found = first.value?.conflicts ?? [];
  const conflicts = described ? inReadingOrder(found, described) : found;
  const settled = conflicts.every(({ path }) => choices[path] !== undefined);
  const take = Object.fromEntries(
    Object.entries(choices).map(([path, side]) => [path, side === 'submitted' ? 'drop' : 'keep'] as const),
  );
  // With every side chosen, the service says what would change.
  const tried = useLoad(settled && first.value ? `${key}/${JSON.stringify(take)}` : undefined, (signal) =>
    attempt(collection, keep, drop, take, signal),
  );
  const [current, setCurrent] = useState(0);
  const titles = useTitles(
    collection,
    [...new Set([keep, drop, ...referencesIn(conflicts)])].filter(Boolean),
  );
  const nameOf = (pid: string) => titles?.get(pid)?.title || localPart(pid);
  const { busy, error, run } = useAction(async () => {
    const done = await lookedUp(
      () => lab(collection).use(curate).merge({ keep, drop }, { take }),
      () => moveOf(collection, drop, keep),
    );
    forget();
    afterWrite();
    sayMoved(collection, done, tc('merged', { from: nameOf(drop), to: nameOf(keep) }));
    go(urlOf([collection, 'record'], { pid: keep }));
  });
  const choose = (side: (typeof SIDES)[number]) => {
    const path = conflicts[current]?.path;
    if (path === undefined) return false;
    setChoices({ ...choices, [path]: side });
    return true;
  };
  useKeys({
    j: () => setCurrent(Math.min(current + 1, conflicts.length - 1)),
    k: () => setCurrent(Math.max(current - 1, 0)),
    1: () => choose('curated'),
    2: () => choose('submitted'),
  });
  const unread = [both, first, tried].find((one) => one.error);
  const report = settled && !unread ? tried.value?.report : undefined;
  return (
    <Sheets second={both.value ? 'side' : undefined}>
      <MainSheet
        title={tc('mergeTitle')}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          { text: t('rail.stewardship'), href: urlOf([collection, 'stewardship']) },
        ]}
        actions={
          isChosen && (
            <>
              <a class="btn" href={withQuery({ keep: drop, drop: keep })}>
                {tc('swap')}
              </a>
              <button type="button" class="btn primary" disabled={busy || !report} onClick={run}>
                {tc('merge')}
              </button>
            </>
          )
        }
      >
        <div class="page">
          <dl class="slots tight">
            <Side collection={collection} side="keep" pid={keep} other={drop} />
            <Side collection={collection} side="drop" pid={drop} other={keep} />
          </dl>
          {error && <ErrorNote error={error} />}
          {unread?.error && <ErrorNote error={unread.error} retry={unread.reload} />}
          {isChosen && !first.value && !first.error && <Bones />}
          {first.value && (
            <p class={conflicts.length > 0 && !settled ? 'note st-diverged' : 'note'}>
              {conflicts.length > 0 ? tc('conflictsLeft') : tc('noConflict')}
            </p>
          )}
          {report && <ChangedRecords collection={collection} report={report} />}
        </div>
        {conflicts.length > 0 && both.value && (
          <DifferenceTable
            description={both.value.description}
            slotsOf={slotsOf}
            differences={conflicts}
            sides={SIDES}
            heads={{ curated: nameOf(keep), submitted: nameOf(drop) }}
            caption={tc('conflictsCaption')}
            names={{ curated: tc('keep'), submitted: tc('drop') }}
            keys={{ curated: '1', submitted: '2' }}
            choices={choices}
            current={current}
            titles={titles}
            onChoose={(path, side) => setChoices({ ...choices, [path]: side })}
            onCurrent={setCurrent}
          />
        )}
      </MainSheet>
      {both.value && (
        <SideSheet label={tc('side')}>
          {[both.value.kept, both.value.dropped].map(
            (found, index) =>
              found && (
                <section key={index}>
                  <h2>{index === 0 ? tc('keep') : tc('drop')}</h2>
                  <Slots
                    collection={collection}
                    description={both.value!.description}
                    record={found.record}
                  />
                </section>
              ),
          )}
        </SideSheet>
      )}
    </Sheets>
  );
}

/** A dry run: the records that change, or the values of both that contradict each other. */
async function attempt(
  collection: string,
  keep: string,
  drop: string,
  take: Readonly<Record<string, 'keep' | 'drop'>>,
  signal: AbortSignal,
): Promise<MergeTrial> {
  try {
    return {
      report: await lab(collection, signal).use(curate).merge({ keep, drop }, { take, dryRun: true }),
      conflicts: [],
    };
  } catch (caught) {
    const { status, problems } = asClientError(caught);
    const conflicts = problems.filter(({ type }) => type === 'merge_conflict').map(differenceOf);
    if (status !== 409 || conflicts.length === 0) throw caught;
    return { conflicts };
  }
}

/** A contradiction of two records, as a review shows one. */
function differenceOf({ loc, input }: ClientError['problems'][number]): SubmissionDifference {
  const path = String(loc[0] ?? '');
  const sides = isObject(input as Json) ? (input as { keep?: Json; drop?: Json }) : {};
  const [curated = null, submitted = null] = [sides.keep, sides.drop];
  const [slot = null] = pointerKeys(path);
  return { path, slot, kind: 'changed', base: null, curated, submitted, changed_by: 'both', conflict: true };
}

/** One record of the merge, or the search for it. */
function Side(props: { collection: string; side: 'keep' | 'drop'; pid: string; other: string }) {
  const { collection, side, pid, other } = props;
  const title = useTitles(collection, pid === '' ? [] : [pid])?.get(pid);
  return (
    <div>
      <dt>{tc(side)}</dt>
      <dd>
        {pid === '' ? (
          <OtherRecord
            collection={collection}
            label={tc(side === 'keep' ? 'chooseKeep' : 'chooseDrop')}
            pid={other}
            onChoose={(chosen) => go(withQuery({ [side]: chosen }))}
          />
        ) : (
          <>
            <RecordLink collection={collection} pid={pid} title={title} />{' '}
            {title !== null && <small class="mono faint">{pid}</small>}
          </>
        )}
      </dd>
    </div>
  );
}
