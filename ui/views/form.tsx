/** A form made from a class: new records and changes of records. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../base/api.ts';
import { type Draft, discardDraft, keepDraft, readDraft } from '../base/drafts.ts';
import { isEqual, type JsonObject } from '../base/json.ts';
import { useKeys } from '../base/keys.ts';
import { useLoad } from '../base/load.ts';
import { identifierPrefix, newRecord, suggestedPid } from '../base/new-record.ts';
import { readRecord } from '../base/records.ts';
import { go, place, urlOf } from '../base/router.ts';
import {
  type ClassDescription,
  readClass,
  readClasses,
  readTitles,
  titleIn,
  titleSlot,
  written,
} from '../base/schema.ts';
import { may } from '../base/session.ts';
import { curate, submit } from '../base/submit.ts';
import { shortTime } from '../base/time.ts';
import type { ViewProps } from '../base/view.ts';
import { ClassTree, familyOf } from '../parts/class-tree.tsx';
import { useContext } from '../parts/context.ts';
import { Icon } from '../parts/icons.tsx';
import { JsonSheet } from '../parts/json-sheet.tsx';
import { Bones, Empty, ErrorNote } from '../parts/notes.tsx';
import { RecordFields, useRecordForm } from '../parts/record-form.tsx';
import { Heading, MainSheet, Sheets } from '../parts/sheet.tsx';
import { Tile } from '../parts/tile.tsx';
import { toast } from '../parts/toast.tsx';
import { t } from '../texts/texts.ts';

type Start = {
  description: ClassDescription;
  record: JsonObject;
  /** The record as it is stored; undefined for a new one. */
  stored: JsonObject | undefined;
  /** Entity tag of the curated record, for `based_on` and `If-Match`. */
  curatedTag: string | null;
  inZone: boolean;
  draft: Draft | undefined;
  prefix: string;
};

async function begin(
  collection: string,
  href: string,
  className: string | undefined,
  pid: string | undefined,
  signal: AbortSignal,
): Promise<Start | null> {
  const draft = readDraft(href);
  if (pid === undefined) {
    const description = await readClass(collection, className!);
    return {
      description,
      stored: undefined,
      curatedTag: null,
      inZone: false,
      draft,
      record: draft?.record ?? (await newRecord(collection, description)),
      prefix: await identifierPrefix(collection, description),
    };
  }
  const [found, titles] = await Promise.all([
    readRecord(collection, pid, [], signal),
    readTitles(collection, [pid]),
  ]);
  const title = titles.get(pid);
  if (!found || !title) return null;
  const isCurator = may(collection, 'curate');
  const inZone = title.in === 'zone';
  const curated = isCurator && inZone ? await readRecord(collection, pid, ['curated'], signal) : undefined;
  const curatedTag = inZone ? (curated?.etag ?? null) : found.etag;
  const description = await readClass(collection, title.class);
  return {
    description,
    stored: found.record,
    curatedTag,
    inZone,
    draft,
    record: draft?.record ?? found.record,
    prefix: '',
  };
}

export function FormView({ collection }: ViewProps) {
  const { path, query, key } = place.value;
  const pid = path[1] === 'edit' ? (query.get('pid') ?? '') : undefined;
  const href = urlOf(path, Object.fromEntries(query));
  const classes = useLoad(`${collection}/${written.value}`, (signal) => readClasses(collection, signal));
  const {
    value: start,
    error,
    reload,
  } = useLoad(key, (signal) => begin(collection, href, path[2], pid, signal));
  const current = start?.description.class;
  useContext(
    classes.value && (
      <ClassTree
        collection={collection}
        classes={classes.value}
        current={current}
        view={pid === undefined ? 'new' : 'browse'}
      />
    ),
    `${current}/${JSON.stringify(classes.value)}`,
  );
  if (error)
    return (
      <Sheets>
        <MainSheet title={t('form.title')}>
          <div class="page">
            <ErrorNote error={error} retry={reload} />
          </div>
        </MainSheet>
      </Sheets>
    );
  if (start === null)
    return (
      <Sheets>
        <MainSheet title={t('form.title')}>
          <div class="page">
            <Empty title={t('record.missing')}>
              <p class="mono">{pid}</p>
            </Empty>
          </div>
        </MainSheet>
      </Sheets>
    );
  if (!start || !classes.value || (pid === undefined && start.description.class !== path[2]))
    return (
      <Sheets>
        <MainSheet title={t('form.title')}>
          <Bones />
        </MainSheet>
      </Sheets>
    );
  const family = familyOf(classes.value, start.description.class).filter(({ abstract }) => !abstract);
  return (
    <Form
      key={key}
      collection={collection}
      href={href}
      start={start}
      subclasses={family.map((one) => one.class)}
    />
  );
}

function Form({
  collection,
  href,
  start,
  subclasses,
}: {
  collection: string;
  href: string;
  start: Start;
  subclasses: readonly string[];
}) {
  const { description, stored, draft } = start;
  const form = useRecordForm({
    collection,
    className: description.class,
    initial: start.record,
    stored: stored ?? {},
  });
  const [kept, setKept] = useState<string | undefined>(draft?.time);
  const [full, setFull] = useState(false);
  const [message, setMessage] = useState('');
  const [busy, setBusy] = useState(false);
  const [beside, setBeside] = useState(innerWidth > 1200);
  const first = useRef(start.record);
  const restored = useRef(draft !== undefined);
  const isDirty = !isEqual(form.record, stored ?? first.current);
  const isNew = stored === undefined;
  const keep = () => {
    const time = new Date().toISOString();
    const title = `${description.title ?? description.class}, ${titleIn(description, form.record)}`;
    const isKept = keepDraft({
      href,
      title,
      className: description.class,
      record: form.record,
      etag: start.curatedTag,
      time,
    });
    setKept(isKept ? time : undefined);
    setFull(!isKept);
  };
  useEffect(() => {
    if (!isDirty || busy) return undefined;
    const timer = setTimeout(keep, 500);
    return () => clearTimeout(timer);
  }, [form.record, busy]);
  useSuggestedPid(form, start);
  const done = (text: string, to: string) => {
    discardDraft(href);
    toast(text);
    go(to);
  };
  const name = () => titleIn(description, form.record);
  const mayCurate = may(collection, 'curate');
  const maySubmit = may(collection, 'write_zone');
  const send = async () => {
    setBusy(true);
    const sent = await form.attempt(() =>
      submit(collection, description.class, form.record, {
        basedOn: start.inZone ? null : start.curatedTag,
        message,
      }),
    );
    setBusy(false);
    if (sent) done(t('form.submitted', { title: name() }), urlOf([collection, 'submissions']));
  };
  const save = async () => {
    setBusy(true);
    const saved = await form.attempt(() =>
      curate(collection, description.class, form.record, isNew ? null : start.curatedTag),
    );
    setBusy(false);
    if (saved)
      done(
        t('form.saved', { title: name() }),
        urlOf([collection, 'record'], { pid: String(form.record.pid) }),
      );
  };
  const discard = () => {
    discardDraft(href);
    form.replace(stored ?? first.current);
    restored.current = false;
    setKept(undefined);
    if (draft) go(href, { replace: true });
  };
  const primary = mayCurate && !start.inZone && !isNew ? save : maySubmit ? send : save;
  useKeys({
    'ctrl+Enter': () => {
      if (!document.querySelector('dialog[open]')) primary();
    },
    'ctrl+s': keep,
    'ctrl+j': () => setBeside(!beside),
  });
  const title = isNew
    ? t('form.newTitle', { noun: description.title ?? description.class })
    : t('form.editTitle', { title: titleIn(description, stored) });
  const both = mayCurate && maySubmit;
  const buttons = (
    <>
      {isDirty && (
        <button type="button" class="btn quiet" onClick={discard}>
          {t('form.discard')}
        </button>
      )}
      {mayCurate && (
        <button type="button" class={primary === save ? 'btn primary' : 'btn'} disabled={busy} onClick={save}>
          {t(both ? 'form.saveCurated' : 'form.save')} {primary === save && <kbd>Ctrl ↵</kbd>}
        </button>
      )}
      {maySubmit && (
        <button type="button" class={primary === send ? 'btn primary' : 'btn'} disabled={busy} onClick={send}>
          {t('form.submit')} {primary === send && <kbd>Ctrl ↵</kbd>}
        </button>
      )}
    </>
  );
  return (
    <Sheets second={beside ? 'two' : undefined}>
      <MainSheet
        title={isNew ? title : titleIn(description, form.record)}
        headed
        label={title}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          {
            text: description.title ?? description.class,
            href: urlOf([collection, 'browse', description.class]),
          },
        ]}
        actions={
          <>
            <span class="tiny faint not-small" aria-live="polite">
              {full
                ? t('form.draftFull')
                : kept && isDirty
                  ? t('form.draftKept', { time: shortTime(kept) })
                  : ''}
            </span>
            <button
              type="button"
              class="btn quiet not-small"
              aria-pressed={beside}
              onClick={() => setBeside(!beside)}
            >
              JSON
            </button>
            <span class="btns not-small">{buttons}</span>
          </>
        }
        foot={<div class="decide only-small">{buttons}</div>}
      >
        <div class="page">
          <Heading tile={<Tile name={description.class} large />} title={title}>
            {!isNew && <span class="mono">{String(form.record.pid)}</span>}
            <span>{description.title ?? description.class}</span>
            {isNew && subclasses.length > 1 && (
              <ChangeClass collection={collection} current={description.class} classes={subclasses} />
            )}
          </Heading>
          {description.description && isNew && <p class="muted lead-text">{description.description}</p>}
          {restored.current && draft && (
            <div class="note">
              <Icon name="file" />
              <div>
                <span>{t('form.draftRestored', { time: shortTime(draft.time) })} </span>
                <button type="button" class="linkish" onClick={discard}>
                  {t('form.discard')}
                </button>
                {!isNew && draft.etag !== start.curatedTag && !start.inZone && (
                  <p class="strong">{t('form.draftStale')}</p>
                )}
              </div>
            </div>
          )}
          {form.failure && <Failure error={form.failure} />}
          <RecordFields form={form} description={description} />
          {maySubmit && (
            <div class="form">
              <div class="field">
                <label for="message">{t('form.message')}</label>
                <textarea
                  class="input grow"
                  id="message"
                  rows={2}
                  maxLength={2000}
                  value={message}
                  onInput={(event) => setMessage(event.currentTarget.value)}
                />
                <p class="help">{t('form.messageHelp')}</p>
              </div>
            </div>
          )}
        </div>
      </MainSheet>
      {beside && <JsonSheet form={form} stored={stored} onClose={() => setBeside(false)} />}
    </Sheets>
  );
}

function Failure({ error }: { error: ApiError }) {
  if (error.status !== 412)
    return (
      <div id="problems" tabIndex={-1}>
        <ErrorNote error={error} />
      </div>
    );
  return (
    <div class="note st-diverged" id="problems" tabIndex={-1} role="alert">
      <Icon name="warning" />
      <div>
        <p class="strong">{t('form.conflict')}</p>
        <p>{t('form.conflictHelp')}</p>
      </div>
    </div>
  );
}

/** Follows the name with the identifier of a new record until that is edited. */
function useSuggestedPid(
  form: ReturnType<typeof useRecordForm>,
  { description, stored, prefix, draft }: Start,
): void {
  const slot = titleSlot(description);
  const name = slot ? form.record[slot.name] : undefined;
  const last = useRef(form.record.pid);
  useEffect(() => {
    if (stored || draft || prefix === '' || typeof name !== 'string' || name === '') return;
    if (form.record.pid !== last.current) return;
    const pid = suggestedPid(prefix, description, name);
    last.current = pid;
    form.change(['pid'], pid);
  }, [name]);
}

function ChangeClass({
  collection,
  current,
  classes,
}: {
  collection: string;
  current: string;
  classes: readonly string[];
}) {
  return (
    <label class="inline-select">
      <span class="vh">{t('form.class')}</span>
      <select value={current} onChange={(event) => go(urlOf([collection, 'new', event.currentTarget.value]))}>
        {classes.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
