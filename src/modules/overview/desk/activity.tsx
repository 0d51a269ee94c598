/** What has happened in the last weeks: records over time, and for curators submissions and decisions. */
import { useLoad } from '../../../../ui/shared/load.ts';
import { Bones, ErrorNote } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { written } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { calendarDate } from '../../../../ui/shared/time.ts';
import { useUserNames } from '../../../../ui/shared/user-name.tsx';
import { overview } from '../client.ts';
import { Bars, Columns, INK } from './plots.tsx';
import type { Scope } from './scope.ts';
import { to } from './texts.ts';

export function Growth({ scope: { collection, className } }: { scope: Scope }) {
  const { value, error, reload } = useLoad(
    `${collection}/${className}`,
    (signal) => lab(collection, signal).use(overview).weeks({ class: className }),
    written.value,
  );
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Bones rows={4} />;
  return (
    <Columns
      title={to('growth')}
      head={to('week')}
      help={to('weeksHelp')}
      series={[{ name: to('curated'), fill: INK }]}
      marks={value.map(({ week, records }) => ({ label: calendarDate(week), values: [records] }))}
    />
  );
}

/** Of those who submit most. */
const SUBMITTERS = 20;

export function Activity({ scope: { collection, className } }: { scope: Scope }) {
  const { value, error, reload } = useLoad(
    `${collection}/${className}`,
    (signal) => lab(collection, signal).use(overview).submissions({ class: className }),
    written.value,
  );
  const nameOf = useUserNames(
    collection,
    value?.submitters.slice(0, SUBMITTERS).map(({ submitter }) => submitter) ?? [],
  );
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Bones rows={4} />;
  const { weeks, decided, submitters, waiting } = value;
  const ofQueue = (query: Record<string, string | undefined>) =>
    urlOf([collection, 'review'], { class: className, ...query });
  return (
    <>
      <Bars
        title={to('waiting')}
        head={to('value')}
        series={[{ name: to('waiting'), fill: 'var(--same)' }]}
        marks={waiting
          .toSorted((a, b) => b.submissions - a.submissions)
          .map((one) => ({
            label: one.class,
            values: [one.submissions],
            href: urlOf([collection, 'review'], { class: one.class }),
          }))}
      />
      <Columns
        title={to('submissions')}
        head={to('week')}
        help={to('weeksHelp')}
        series={[{ name: to('submitted'), fill: INK }]}
        marks={weeks.map(({ week, submitted }) => ({ label: calendarDate(week), values: [submitted] }))}
      />
      <Columns
        title={to('decisions')}
        head={to('week')}
        series={[
          { name: to('accepted'), fill: 'var(--new)' },
          { name: to('rejected'), fill: 'var(--rejected)' },
          { name: to('deferred'), fill: 'var(--deferred)' },
        ]}
        marks={weeks.map(({ week, accepted, rejected, deferred }) => ({
          label: calendarDate(week),
          values: [accepted, rejected, deferred],
        }))}
      />
      <Bars
        title={to('decided')}
        head={to('value')}
        series={[{ name: to('submitted'), fill: INK }]}
        marks={decided.map(({ within, submissions }) => ({
          label: within === undefined ? to('longer') : `≤ ${to('days', { n: within })}`,
          values: [submissions],
        }))}
      />
      <Bars
        title={to('submitters')}
        head={to('submitter')}
        series={[{ name: to('submitted'), fill: INK }]}
        marks={submitters.slice(0, SUBMITTERS).map(({ submitter, submissions }) => ({
          label: nameOf(submitter),
          values: [submissions],
          href: ofQueue({ submitter }),
        }))}
      />
    </>
  );
}
