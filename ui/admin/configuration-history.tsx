/** The history of the configuration: each entry with its own change; secrets are masked by the service. */

import { pointerKeys, pointerSegment } from '#linkml/json.ts';
import { tokenModes } from '../../src/core/access/modes.ts';
import { OlderEntries, useEntries } from '../shared/entries.tsx';
import type { Change } from '../shared/history.tsx';
import { isObject, type Json } from '../shared/json.ts';
import { Added, Marked, Removed } from '../shared/marks.tsx';
import { Empty, Loading } from '../shared/notes.tsx';
import { written } from '../shared/schema.ts';
import { service } from '../shared/service.ts';
import { fullTime } from '../shared/time.ts';
import { t } from '../texts/texts.ts';
import { keyWords, modeWords, ta } from './texts.ts';

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
                    <b>{pathWords(change.path)}</b> <Marks change={change} />
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

/** The keys of a path in words, as forms name them; others as they are written. */
function pathWords(path: string): string {
  const [kind = '', ...keys] = pointerKeys(path);
  const word = (key: string) => keyWords(key) ?? key;
  // The second key is a name, which may be called like a key.
  const [name, ...rest] = keys;
  return [word(kind), name, ...rest.filter((key) => key !== 'collections').map(word)]
    .filter((one) => one !== undefined)
    .join(' › ');
}

/** Where the service keeps schemas that were sent as text. */
const KEPT_SCHEMA = /^__dump_things__\/schemas\//;

function Marks({ change: { op, before, after } }: { change: Change }) {
  if (op === 'add') return <Added text={text(after)} />;
  if (op === 'remove') return <Removed text={text(before)} />;
  return <Marked before={text(before)} after={text(after)} />;
}

function text(value: Json | undefined): string {
  if (typeof value === 'string' && KEPT_SCHEMA.test(value)) return ta('pastedSchema');
  if (typeof value === 'string' && tokenModes.some((mode) => mode === value)) return modeWords(value);
  if (typeof value === 'boolean') return t(value ? 'value.yes' : 'value.no');
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value ?? '');
}
