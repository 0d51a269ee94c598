/** Health: what the service reports about itself, and its jobs. */

import type { Job, Status } from '../../src/client/client.ts';
import { sectionsIn } from '../modules.ts';
import { Icon } from '../shared/icons.tsx';
import { useLoad, useRepeated } from '../shared/load.ts';
import { ErrorNote, Progress } from '../shared/notes.tsx';
import { urlOf } from '../shared/router.ts';
import { service } from '../shared/service.ts';
import { may } from '../shared/session.ts';
import { StateMark } from '../shared/state.tsx';
import { count, size } from '../shared/time.ts';
import { t } from '../texts/texts.ts';
import { readStatus } from './elements.ts';
import { ta } from './texts.ts';

export function AdminHealth({ collections }: { collections: readonly string[] }) {
  const health = useLoad('health', (signal) => service({ signal }).health());
  const status = useLoad('status', readStatus);
  useRepeated(() => {
    health.reload();
    status.reload();
  });
  const value = health.value;
  const jobs = (status.value?.jobs ?? []).filter(({ state }) => state !== 'idle');
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
              <li key={problem}>
                <Problem text={problem} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <dl class="stats">
        <div>
          <dt>{t('home.collections')}</dt>
          <dd>{count(collections.length)}</dd>
        </div>
        {figuresOf(status.value).map(({ name, figure, warning }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={warning ? 'st-diverged' : undefined}>
              {warning && <Icon name="warning" size={16} />} {figure}
              {warning && <small>{warning}</small>}
            </dd>
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
      {status.value && <Faults status={status.value} />}
    </>
  );
}

/** A problem in the words of the service; a path of its API at the end becomes a link to the page of stewardship with that name. */
function Problem({ text }: { text: string }) {
  const [path, name = '', page = ''] = /, see \/-\/(.+)\/([a-z-]+)$/.exec(text) ?? [];
  if (path === undefined || !sectionsIn('stewardship').some((section) => section.name === page))
    return <>{text}</>;
  return (
    <>
      {text.slice(0, -path.length)}
      {' · '}
      {may(name, 'curate') ? (
        <a href={urlOf([name, 'stewardship', page])}>{ta('show')}</a>
      ) : (
        <span class="muted">{ta('curatorsShow', { name })}</span>
      )}
    </>
  );
}

function JobCard({ job }: { job: Job }) {
  const { name, collection, state, progress, error } = job;
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
      </div>
      {error && <p class="body st-rejected small">{error}</p>}
      {progress && <Progress done={progress.done} total={progress.total} label={name} />}
    </div>
  );
}

/** The figures of a status: records, disk, memory, faults. */
type Figure = { readonly name: string; readonly figure: string; readonly warning?: string | undefined };

function figuresOf(status: Status | null | undefined): Figure[] {
  if (!status) return [];
  const { disk, memory_bytes: memory, collections, store_bytes: store, last_backup: backup } = status;
  const sum = (of: (one: Status['collections'][number]) => number) =>
    collections.reduce((total, one) => total + of(one), 0);
  const figures: (Figure | undefined)[] = [
    { name: t('home.records'), figure: count(sum(({ records }) => records ?? 0)) },
    disk === null || disk === undefined
      ? undefined
      : { name: t('health.disk'), figure: size(disk.free_bytes ?? 0) },
    store === null ? undefined : { name: t('health.store'), figure: size(store) },
    backup
      ? { name: t('health.backup'), figure: backup.time.slice(0, 10) }
      : { name: t('health.backup'), figure: t('health.noBackup'), warning: ta('makeBackup') },
    memory === undefined ? undefined : { name: t('health.memory'), figure: size(memory) },
    // Records that do not fit their schema are readable: they are problems, with a page of their own.
    { name: ta('unreadable'), figure: count(sum(({ faults }) => faults.length)) },
  ];
  return figures.filter((one) => one !== undefined);
}

/** Stored records that cannot be read, by collection. */
function Faults({ status }: { status: Status }) {
  const { collections } = status;
  const broken = collections.filter(({ faults }) => faults.length > 0);
  if (broken.length === 0) return null;
  return (
    <ul class="note st-rejected stack-s">
      {broken.flatMap(({ name, faults }) =>
        faults.map(({ path, message }) => (
          <li key={`${name} ${path}`}>
            <b class="strong">{name}</b> <span class="mono">{path}</span> {message}
          </li>
        )),
      )}
    </ul>
  );
}
