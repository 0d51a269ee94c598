/** Parts of the home view besides collections: the tasks, and the last events. */
import type { ComponentChildren } from 'preact';
import type { OwnSubmission, QueueSummary } from '../../src/modules/review/api-types.ts';
import { ANY_REQUEST } from '../shared/review.ts';
import { urlOf } from '../shared/router.ts';
import { localPart } from '../shared/schema.ts';
import { StateMark, type StateName, stateWord } from '../shared/state.tsx';
import { Tile } from '../shared/tile.tsx';
import { count, shortTime } from '../shared/time.ts';
import type { OwnCounts } from '../shared/waiting.ts';
import { t } from '../texts/texts.ts';

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
export function Waiting({
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
    <Hero figure={total} title={t('home.wait', { n: total, name: collection })} states={states}>
      <a class="btn primary" href={urlOf([collection, 'review'])}>
        {t('home.review')} <kbd>G</kbd> <kbd>R</kbd>
      </a>
    </Hero>
  );
}

/** The submissions that their submitter has to correct or to answer. */
export function ToCorrect({ collection, counts }: { collection: string; counts: OwnCounts }) {
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
      title={t(isOnlyCorrected ? 'home.toCorrect' : 'home.waitsForYou', { n, name: collection })}
      states={states}
    >
      <a
        class="btn primary"
        href={isCorrected ? list('rejected') : urlOf([collection, 'submissions'], { requested: ANY_REQUEST })}
      >
        {t(isCorrected ? 'home.correct' : 'home.showAsked')}
      </a>
    </Hero>
  );
}

/** A short list with a link to all of it. */
export function Recent({
  title,
  all,
  children,
}: {
  title: string;
  all: string;
  children: ComponentChildren;
}) {
  return (
    <section aria-labelledby="recent">
      <div class="head">
        <h2 id="recent">{title}</h2>
        <a class="push" href={all}>
          {t('home.all')}
        </a>
      </div>
      <ul class="stack small">{children}</ul>
    </section>
  );
}

/** An own submission and what became of it. */
export function OwnLine({ collection, row }: { collection: string; row: OwnSubmission }) {
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
