/** Health: what the service reports about itself, and its jobs. */
import { useEffect } from 'preact/hooks';
import { type Health, type Job, readStatus, type Status } from '../base/admin.ts';
import { ask } from '../base/api.ts';
import { isObject, type Json, type JsonObject, scalarText } from '../base/json.ts';
import { useLoad } from '../base/load.ts';
import { count, shortTime, size } from '../base/time.ts';
import { t } from '../texts/texts.ts';
import { Icon } from './icons.tsx';
import { ErrorNote, Progress } from './notes.tsx';
import { StateMark } from './state.tsx';

const POLL_MS = 10_000;

export function AdminHealth({ collections }: { collections: readonly string[] }) {
  const health = useLoad('health', (signal) => ask<Health>(['-', 'health'], { signal }));
  const status = useLoad('status', readStatus);
  useEffect(() => {
    const timer = setInterval(() => {
      health.reload();
      status.reload();
    }, POLL_MS);
    return () => clearInterval(timer);
  });
  const value = health.value?.value;
  const jobs = jobsOf(value, status.value);
  return (
    <>
      <div class="head first">
        <h2>{t('admin.health')}</h2>
        {value &&
          (value.status === 'ok' ? (
            <span class="st st-new">
              <StateMark name="accepted" />
              {t('health.ok')}
            </span>
          ) : (
            <span class="st st-rejected">
              <StateMark name="rejected" />
              {t('health.degraded')}
            </span>
          ))}
        <span class="push faint small">{value && t('health.version', { version: value.version })}</span>
      </div>
      {health.error && <ErrorNote error={health.error} retry={health.reload} />}
      {value?.problems && value.problems.length > 0 && (
        <div class="note st-rejected">
          <Icon name="warning" />
          <ul>
            {value.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
      <dl class="stats">
        <div>
          <dt>{t('home.collections')}</dt>
          <dd>{count(collections.length)}</dd>
        </div>
        {figuresOf(status.value).map(([name, figure]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
      {jobs.length > 0 && (
        <>
          <div class="head">
            <h2>
              {t('health.jobs')} <span class="faint">{jobs.length}</span>
            </h2>
          </div>
          {jobs.map((job) => (
            <JobCard key={job.id ?? `${job.name} ${job.collection}`} job={job} />
          ))}
        </>
      )}
      {isObject(status.value as Json) && <Details status={status.value as JsonObject} />}
    </>
  );
}

function JobCard({ job }: { job: Job }) {
  const { id, name, collection, state, progress, error } = job;
  const stop = () => id && ask(['-', 'jobs', id, 'stop'], { method: 'POST' });
  return (
    <div class="card job">
      <div class="cap">
        <Icon name="history" />
        <b class="strong">{name}</b>
        {collection && <span class="muted">{collection}</span>}
        <span class="faint small">
          {progress
            ? t('health.progress', { done: progress.done, total: progress.total })
            : t(`job.${state}`)}
        </span>
        <span class="push" />
        {id && state === 'running' && progress && (
          <button type="button" class="btn small" onClick={stop}>
            <Icon name="stop" size={14} />
            {t('action.stop')}
          </button>
        )}
      </div>
      {error && <p class="body st-rejected small">{error}</p>}
      {progress && <Progress done={progress.done} total={progress.total} label={name} />}
    </div>
  );
}

function jobsOf(health: Health | undefined, status: Status | null | undefined): Job[] {
  const found = (status as { jobs?: Job[] } | null)?.jobs ?? health?.jobs ?? [];
  return Array.isArray(found) ? found.filter(({ state }) => state !== 'idle' && state !== 'done') : [];
}

/** Numbers and times at the top of the status as figures. */
function figuresOf(status: Status | null | undefined): [string, string][] {
  if (!status) return [];
  return Object.entries(status)
    .filter(([, value]) => typeof value === 'number' || (typeof value === 'string' && value.length < 40))
    .slice(0, 8)
    .map(([name, value]) => [wordsOf(name), figureOf(name, value)]);
}

const wordsOf = (name: string) =>
  name
    .replaceAll('_', ' ')
    .replace(/ bytes$/, '')
    .replace(/^./, (letter) => letter.toUpperCase());

function figureOf(name: string, value: Json): string {
  if (typeof value === 'number') return /bytes|size|disk|free/.test(name) ? size(value) : count(value);
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? shortTime(value) : scalarText(value);
}

function Details({ status }: { status: JsonObject }) {
  const groups = Object.entries(status).filter(
    ([name, value]) => name !== 'jobs' && typeof value === 'object' && value !== null,
  );
  return (
    <>
      {groups.map(([name, value]) => (
        <section key={name}>
          <div class="head">
            <h2>{wordsOf(name)}</h2>
          </div>
          <pre class="code inset">{JSON.stringify(value, null, 2)}</pre>
        </section>
      ))}
    </>
  );
}
