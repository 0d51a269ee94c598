/** The filters of the queue: in the URL, with counts. */

import type { ComponentChild } from 'preact';
import { withQuery } from '../../../../ui/shared/router.ts';
import { StateMark, stateWord } from '../../../../ui/shared/state.tsx';
import type { StateName } from '../../../../ui/shared/state-names.ts';
import { count } from '../../../../ui/shared/time.ts';
import { UserName } from '../../../../ui/shared/user-name.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { QueueSummary } from '../api-types.ts';
import { ownId } from './assign.tsx';
import { requestWords } from './comments.tsx';
import { tr } from './texts.ts';

/** Parameters of the URL, and their names in the API. A submission is named by a label and a pid, so the zone has another name. */
const FIELDS = {
  standing: 'standing',
  state: 'state',
  zone: 'label',
  class: 'class',
  batch: 'batch',
  submitter: 'submitter',
  assignee: 'assignee',
  requested: 'requested',
  q: 'q',
} as const;

type Field = keyof typeof FIELDS;
export type QueueFilter = { readonly [Name in (typeof FIELDS)[Field]]?: string };

/** The filter in a URL of the queue or of a submission in it. */
export function filterOf(query: URLSearchParams): QueueFilter {
  const given = Object.entries(FIELDS).map(([field, name]) => [name, query.get(field)]);
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== ''));
}

/** The filter and the order in a URL, as parameters of another one. */
export function queueQuery(query: URLSearchParams): Record<string, string | null> {
  return Object.fromEntries([...Object.keys(FIELDS), 'sort'].map((field) => [field, query.get(field)]));
}

const STATES: readonly StateName[] = ['new', 'changed', 'diverged', 'same'];
const STANDINGS: readonly StateName[] = ['waiting', 'deferred', 'rejected'];

/** The states as a row of filters. */
export function StateTabs({ counts, filter }: { counts: QueueSummary | undefined; filter: QueueFilter }) {
  const all = counts ? Object.values(counts.by_state).reduce((sum, n) => sum + n, 0) : undefined;
  return (
    <nav class="seg" aria-label={tr('queue.states')}>
      <a href={withQuery({ state: null })} aria-current={filter.state === undefined ? 'page' : undefined}>
        {tr('home.all')} {all !== undefined && <span class="n">{count(all)}</span>}
      </a>
      {STATES.map((state) => (
        <a key={state} href={withQuery({ state })} aria-current={filter.state === state ? 'page' : undefined}>
          <StateMark name={state} />
          {stateWord(state)} {counts && <span class="n">{count(counts.by_state[state] ?? 0)}</span>}
        </a>
      ))}
    </nav>
  );
}

/** Standing, zone, class, batch and submitter in the rail. */
export function QueueFilters({
  collection,
  counts,
  filter,
}: {
  collection: string;
  counts: QueueSummary | undefined;
  filter: QueueFilter;
}) {
  if (!counts) return null;
  const groups = [
    ['zone', t('record.zone'), counts.by_label],
    ['class', tr('queue.class'), counts.by_class],
    ['batch', tr('queue.batch'), counts.by_batch],
  ] as const;
  return (
    <>
      <section aria-labelledby="rail-standing">
        <h2 id="rail-standing">{tr('queue.standing')}</h2>
        <ul>
          {STANDINGS.map((standing) => (
            <li key={standing}>
              <a
                class="item"
                href={withQuery({ standing: standing === 'waiting' ? null : standing })}
                aria-current={(filter.standing ?? 'waiting') === standing ? 'page' : undefined}
              >
                <StateMark name={standing} />
                {stateWord(standing)}
                <span class="n">{count(counts.by_standing[standing] ?? 0)}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="rail-requested">
        <h2 id="rail-requested">{tr('comment.talk')}</h2>
        <ul>
          {(['answer', 'changes'] as const).map((one) => (
            <li key={one}>
              <a
                class="item"
                href={withQuery({ requested: filter.requested === one ? null : one })}
                aria-current={filter.requested === one ? 'true' : undefined}
              >
                {requestWords(one)}
              </a>
            </li>
          ))}
        </ul>
      </section>
      <Assignees collection={collection} counts={counts} chosen={filter.assignee} />
      {groups.map(([field, title, values]) => (
        <Group key={field} field={field} title={title} values={values} chosen={filter[FIELDS[field]]} />
      ))}
    </>
  );
}

/** Own submissions, unassigned ones, and those of others. */
function Assignees({
  collection,
  counts: { by_assignee },
  chosen,
}: {
  collection: string;
  counts: QueueSummary;
  chosen: string | undefined;
}) {
  const me = ownId(collection) ?? '';
  const others = Object.entries(by_assignee)
    .filter(([id]) => id !== '' && id !== me)
    .slice(0, SHOWN);
  const rows: readonly (readonly [value: string, title: ComponentChild, n: number])[] = [
    ['me', tr('assign.mine'), by_assignee[me] ?? 0],
    ['none', tr('assign.none'), by_assignee[''] ?? 0],
    ...others.map(([id, n]) => [id, <UserName key={id} collection={collection} id={id} />, n] as const),
  ];
  return (
    <section aria-labelledby="rail-assignee">
      <h2 id="rail-assignee">{tr('assign.who')}</h2>
      <ul>
        {rows.map(([value, title, n]) => (
          <li key={value}>
            <a
              class="item"
              href={withQuery({ assignee: chosen === value ? null : value })}
              aria-current={chosen === value ? 'true' : undefined}
            >
              <span class="clip">{title}</span>
              <span class="n">{count(n)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

const SHOWN = 12;

function Group({
  field,
  title,
  values,
  chosen,
}: {
  field: string;
  title: string;
  values: Readonly<Record<string, number>>;
  chosen: string | undefined;
}) {
  const entries = Object.entries(values)
    .filter(([value]) => value !== '')
    .sort((a, b) => b[1] - a[1])
    .slice(0, SHOWN);
  if (entries.length === 0) return null;
  return (
    <section aria-labelledby={`rail-${field}`}>
      <h2 id={`rail-${field}`}>{title}</h2>
      <ul>
        {entries.map(([value, n]) => (
          <li key={value}>
            <a
              class="item"
              href={withQuery({ [field]: chosen === value ? null : value })}
              aria-current={chosen === value ? 'true' : undefined}
            >
              <span class="clip">
                <bdi>{value}</bdi>
              </span>
              <span class="n">{count(n)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
