/** The filters of the list of own submissions. */

import { go, withQuery } from '../../../../ui/shared/router.ts';
import type { readClasses } from '../../../../ui/shared/schema.ts';
import { SearchField } from '../../../../ui/shared/search-field.tsx';
import { StateMark, stateWord } from '../../../../ui/shared/state.tsx';
import { count } from '../../../../ui/shared/time.ts';
import { t } from '../../../../ui/texts/texts.ts';
import type { OwnSubmissionPage } from '../api-types.ts';
import { tr } from './texts.ts';
import { ANY_REQUEST } from './verdicts.ts';
import { ownCounts } from './waiting.ts';

const STATUSES = ['rejected', 'waiting', 'deferred', 'accepted', 'withdrawn'] as const;

export type SubmissionFilter = ReturnType<typeof filterOf>;

export const FILTERS = ['status', 'batch', 'q', 'requested', 'class'] as const;

export function filterOf(query: URLSearchParams) {
  return Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? undefined])) as {
    readonly [Name in (typeof FILTERS)[number]]: string | undefined;
  };
}

/** The filters by status and class, and the search. */
export function SubmissionTools({
  filter: { status, requested, class: ofClass },
  counts,
  classes,
}: {
  filter: SubmissionFilter;
  counts: OwnSubmissionPage['counts'] | undefined;
  classes: Awaited<ReturnType<typeof readClasses>> | undefined;
}) {
  return (
    <>
      <nav class="seg" aria-label={tr('submissions.status')}>
        <a
          href={withQuery({ status: null, requested: null })}
          aria-current={status === undefined && !requested ? 'page' : undefined}
        >
          {tr('home.all')} <Count of={counts && Object.values(counts).reduce((sum, n) => sum + n, 0)} />
        </a>
        {STATUSES.map((name) => (
          <a
            key={name}
            href={withQuery({ status: name, requested: null })}
            aria-current={status === name ? 'page' : undefined}
          >
            <StateMark name={name} />
            {name === 'rejected' ? tr('submissions.toCorrect') : stateWord(name)}{' '}
            <Count of={counts?.[name]} />
          </a>
        ))}
        <a
          href={withQuery({ status: null, requested: ANY_REQUEST })}
          aria-current={requested ? 'page' : undefined}
        >
          {tr('comment.toAnswer')} <Count of={ownCounts.value?.value.requested || undefined} />
        </a>
      </nav>
      <span class="push" />
      {classes && classes.length > 1 && (
        <label class="inline-select">
          <span class="vh">{t('form.class')}</span>
          <select
            value={ofClass ?? ''}
            onChange={(event) => go(withQuery({ class: event.currentTarget.value || null }))}
          >
            <option value="">{tr('submissions.allClasses')}</option>
            {classes.map((one) => (
              <option key={one.class} value={one.class}>
                {one.title ?? one.class}
              </option>
            ))}
          </select>
        </label>
      )}
      <SearchField label={tr('submissions.search')} />
    </>
  );
}

function Count({ of: n = 0 }: { of: number | undefined }) {
  return n > 0 ? <span class="n">{count(n)}</span> : null;
}
