/** What the home view shows of reviews: the submissions that wait, the last decisions or the last own submissions. */

import type { ComponentChildren } from 'preact';
import type { HomeParts } from '../../../../ui/module.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { urlOf } from '../../../../ui/shared/router.ts';
import { localPart, written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { may } from '../../../../ui/shared/session.ts';
import { StateMark, type StateName, stateWord } from '../../../../ui/shared/state.tsx';
import { Tile } from '../../../../ui/shared/tile.tsx';
import { count, shortTime } from '../../../../ui/shared/time.ts';
import type { OwnSubmission, QueueSummary } from '../api-types.ts';
import { review, submissions } from '../client.ts';
import { DecisionLine } from './decision-line.tsx';
import { tr } from './texts.ts';
import { ANY_REQUEST } from './verdicts.ts';
import { countWaiting, mayFollow, type OwnCounts, ownCounts, summary, uncounted } from './waiting.ts';

export function useHome(collection: string | undefined): HomeParts {
  const isCurator = may(collection, 'curate');
  const decisions = useLoad(
    isCurator ? collection : undefined,
    (signal) => lab(collection!, signal).use(review).decisions({ size: 5 }),
    written.value,
  );
  const own = useLoad(
    mayFollow(collection) && !isCurator ? collection : undefined,
    (signal) => lab(collection!, signal).use(submissions).list({ size: 5 }),
    written.value,
  );
  const wait = summary.value;
  const mine = ownCounts.value;
  const deferred = wait?.value.by_standing.deferred ?? 0;
  const tasks = [
    wait && wait.value.total > 0 && (
      <Waiting key="waiting" collection={wait.collection} summary={wait.value} />
    ),
    wait && wait.value.total === 0 && (
      <p key="nothing" class="note calm">
        <StateMark name="accepted" />
        <span>{tr('home.nothingWaits', { name: wait.collection })}</span>
      </p>
    ),
    mine && (mine.value.rejected ?? 0) + mine.value.requested > 0 && (
      <ToCorrect key="correct" collection={mine.collection} counts={mine.value} />
    ),
  ];
  const lines = [
    wait && deferred > 0 && (
      <li key="deferred">
        <a class="line" href={urlOf([wait.collection, 'review'], { standing: 'deferred' })}>
          <span class="what st">
            <StateMark name="deferred" />
            {tr('home.deferred', { n: deferred })}
          </span>
        </a>
      </li>
    ),
  ];
  const beside = [
    decisions.value && (
      <Recent key="decisions" title={tr('home.decisions')} all={urlOf([collection!, 'decisions'])}>
        {decisions.value.items.length === 0 && <li class="muted">{tr('decisions.none')}</li>}
        {decisions.value.items.map((row) => (
          <DecisionLine key={row.id} collection={collection!} row={row} />
        ))}
      </Recent>
    ),
    own.value && own.value.items.length > 0 && (
      <Recent key="own" title={tr('rail.submissions')} all={urlOf([collection!, 'submissions'])}>
        {own.value.items.map((row) => (
          <OwnLine key={`${row.pid} ${row.submitted_at}`} collection={collection!} row={row} />
        ))}
      </Recent>
    ),
  ];
  const isUncounted = (isCurator && !wait) || (mayFollow(collection) && !mine);
  const error = (isUncounted ? uncounted.value : undefined) ?? decisions.error ?? own.error;
  const retry = () => {
    void countWaiting(collection);
    if (decisions.error) decisions.reload();
    if (own.error) own.reload();
  };
  return {
    tasks: tasks.filter(Boolean),
    lines: lines.filter(Boolean),
    beside: beside.filter(Boolean),
    failed: error && { error, retry },
  };
}

type StateCount = { readonly name: StateName; readonly n: number | undefined; readonly href: string };

/** The first task: a number, its name, and the button. */
function Hero({
  figure,
  title,
  states,
  children,
}: {
  figure: number;
  title: string;
  states: readonly StateCount[];
  children: ComponentChildren;
}) {
  return (
    <section class="hero" aria-label={`${count(figure)} ${title}`}>
      <p class="figure">{count(figure)}</p>
      <div>
        <h2>{title}</h2>
        <p class="mix">
          {states.map(({ name, n = 0, href }) =>
            n === 0 ? null : (
              <a key={name} href={href}>
                <span class={`st st-${name}`}>
                  <StateMark name={name} />
                  {count(n)} {stateWord(name).toLowerCase()}
                </span>
              </a>
            ),
          )}
        </p>
      </div>
      <p class="btns">{children}</p>
    </section>
  );
}

/** The submissions that wait in the queue of a curator. */
function Waiting({
  collection,
  summary: { total, by_state },
}: {
  collection: string;
  summary: QueueSummary;
}) {
  const states = (['new', 'changed', 'diverged', 'same'] as const).map((name) => ({
    name,
    n: by_state[name],
    href: urlOf([collection, 'review'], { state: name }),
  }));
  return (
    <Hero figure={total} title={tr('home.wait', { n: total, name: collection })} states={states}>
      <a class="btn primary" href={urlOf([collection, 'review'])}>
        {tr('home.review')} <kbd>G</kbd> <kbd>R</kbd>
      </a>
    </Hero>
  );
}

/** The submissions that their submitter has to correct or to answer. */
function ToCorrect({ collection, counts }: { collection: string; counts: OwnCounts }) {
  const list = (status: string) => urlOf([collection, 'submissions'], { status });
  const states = (['waiting', 'deferred', 'accepted'] as const).map((name) => ({
    name,
    n: counts[name],
    href: list(name),
  }));
  const n = (counts.rejected ?? 0) + counts.requested;
  const isCorrected = (counts.rejected ?? 0) > 0;
  const isOnlyCorrected = counts.requested === 0;
  return (
    <Hero
      figure={n}
      title={tr(isOnlyCorrected ? 'home.toCorrect' : 'home.waitsForYou', { n, name: collection })}
      states={states}
    >
      <a
        class="btn primary"
        href={isCorrected ? list('rejected') : urlOf([collection, 'submissions'], { requested: ANY_REQUEST })}
      >
        {tr(isCorrected ? 'home.correct' : 'home.showAsked')}
      </a>
    </Hero>
  );
}

/** A short list with a link to all of it. */
function Recent({ title, all, children }: { title: string; all: string; children: ComponentChildren }) {
  return (
    <section aria-labelledby="recent">
      <div class="head">
        <h2 id="recent">{title}</h2>
        <a class="push" href={all}>
          {tr('home.all')}
        </a>
      </div>
      <ul class="stack small">{children}</ul>
    </section>
  );
}

/** An own submission and what became of it. */
function OwnLine({ collection, row }: { collection: string; row: OwnSubmission }) {
  const time = row.decided_at ?? row.submitted_at;
  return (
    <li class="line">
      <span>
        <a class="ref" href={urlOf([collection, 'submissions'], { status: row.status })} title={row.pid}>
          <Tile name={row.class} />
          <bdi class="t">{row.title || localPart(row.pid)}</bdi>
        </a>
        <br />
        <span class={`st st-${row.status}`}>
          <StateMark name={row.status} />
          {stateWord(row.status)}
        </span>
        {row.reason && (
          <span class="muted folded">
            <bdi>{row.reason}</bdi>
          </span>
        )}
      </span>
      <span class="tiny faint">
        <time dateTime={time}>{shortTime(time)}</time>
      </span>
    </li>
  );
}
