/** The history of the configuration: each entry with its own change; secrets are masked by the service. */
import { pointerKeys, pointerSegment } from '#linkml/json.ts';
import { OlderEntries, useEntries } from '../shared/entries.tsx';
import type { Change } from '../shared/history.tsx';
import { isObject, type Json } from '../shared/json.ts';
import { Added, Marked, Removed } from '../shared/marks.tsx';
import { Empty, Loading } from '../shared/notes.tsx';
import { written } from '../shared/schema.ts';
import { service } from '../shared/service.ts';
import { fullTime } from '../shared/time.ts';
import { t } from '../texts/texts.ts';
import { ta } from './texts.ts';

/** The author of what the service stores by itself, as the peer names it. */
const SERVICE_ITSELF = '__dump_things_server__';

export function AdminHistory() {
  const {
    items: entries,
    error,
    reload,
    readOlder,
  } = useEntries(
    'configuration',
    (before, signal) => service(signal && { signal }).configuration.history({ before }),
    written.value,
  );
  if (error || !entries) return <Loading error={error} retry={reload} />;
  if (entries.length === 0) return <Empty title={t('history.none')} />;
  return (
    <>
      <ol class="events">
        {entries.map((entry) => (
          <li key={entry.revision}>
            <p>
              <b class="strong">
                <bdi>{entry.author_id === SERVICE_ITSELF ? ta('itself') : entry.author_id}</bdi>
              </b>{' '}
              <span class="muted">
                {entry.changes[0]?.path === ''
                  ? t('history.created')
                  : entry.changes.length === 0
                    ? t('history.same')
                    : t('admin.changed', { n: entry.changes.length })}
              </span>
            </p>
            <p class="tiny faint">
              <time dateTime={entry.time_stamp}>{fullTime(entry.time_stamp)}</time>
            </p>
            {entry.changes[0]?.path !== '' && (
              <div class="delta">
                {entry.changes.flatMap(membersOf).map((change) => (
                  <p key={change.path}>
                    <b>{pointerKeys(change.path).join(' › ')}</b> <Marks change={change} />
                  </p>
                ))}
              </div>
            )}
          </li>
        ))}
      </ol>
      <OlderEntries read={readOlder} />
    </>
  );
}

/** An object that came or went as its members, a line each. */
function membersOf(change: Change): Change[] {
  const { path, op, before, after } = change;
  const value = op === 'remove' ? before : after;
  if (!isObject(value) || (op !== 'add' && op !== 'remove')) return [change];
  return Object.entries(value).flatMap(([name, member]) =>
    membersOf({
      ...change,
      path: `${path}/${pointerSegment(name)}`,
      ...(op === 'add' ? { after: member } : { before: member }),
    }),
  );
}

function Marks({ change: { op, before, after } }: { change: Change }) {
  if (op === 'add') return <Added text={text(after)} />;
  if (op === 'remove') return <Removed text={text(before)} />;
  return <Marked before={text(before)} after={text(after)} />;
}

function text(value: Json | undefined): string {
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value ?? '');
}
