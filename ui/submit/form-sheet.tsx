/** The form on its sheet: draft, submit, save, and the JSON beside it. */

import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { ClientError, type FollowedChange } from '../../src/client/client.ts';
import { FormFailure } from '../form/form-failure.tsx';
import { suggestedPid } from '../form/new-record.ts';
import { RecordFields, useRecordForm } from '../form/record-form.tsx';
import { Panels } from '../frame/section-view.tsx';
import { away, isAway, returned } from '../shared/connection.ts';
import { discardDraft, keepDraft, setDraftAside } from '../shared/drafts.ts';
import { Icon } from '../shared/icons.tsx';
import { isEqual } from '../shared/json.ts';
import { keepAnswers } from '../shared/kept-answers.ts';
import { useKeys } from '../shared/keys.ts';
import { OthersLine } from '../shared/others.tsx';
import { PolicyField } from '../shared/policy-parts.tsx';
import { go, urlOf } from '../shared/router.ts';
import { SameThing } from '../shared/same-thing.tsx';
import { titleIn, titleSlot } from '../shared/schema.ts';
import { may, session } from '../shared/session.ts';
import { Heading, MainSheet, Sheets } from '../shared/sheet.tsx';
import { Submissions } from '../shared/submission-urls.ts';
import { curate, submit } from '../shared/submit.ts';
import { Tile, useTitles } from '../shared/tile.tsx';
import { shortTime } from '../shared/time.ts';
import { toast } from '../shared/toast.tsx';
import { keyNames, t } from '../texts/texts.ts';
import type { Start } from './begin-form.ts';
import { DraftMerge } from './draft-merge.tsx';
import { JsonSheet } from './json-sheet.tsx';

export function FormSheet({
  collection,
  href,
  start,
  subclasses,
  others,
  asked,
  readAgain,
}: {
  collection: string;
  href: string;
  start: Start;
  subclasses: readonly string[];
  /** Changes of others to the curated record since it was read. */
  others: readonly FollowedChange[];
  /** The action that was refused because the record had changed: it is done if the record is as before when the form begins again. */
  asked: { current: 'send' | 'save' | undefined };
  /** Begins again with the record as it is stored now, and the draft if it was kept. */
  readAgain: () => void;
}) {
  const { description, stored, draft } = start;
  const submissions = useContext(Submissions);
  const form = useRecordForm({
    collection,
    className: description.class,
    initial: start.record,
    stored: stored ?? {},
  });
  const [kept, setKept] = useState<string | undefined>(draft?.time);
  const [full, setFull] = useState(false);
  const [message, setMessage] = useState(draft?.message ?? '');
  const [beside, setBeside] = useState(false);
  const first = useRef(start.record);
  const isDirty = !isEqual(form.record, stored ?? first.current);
  const isNew = stored === undefined;
  /** The draft was begun from another state of the record: first it is chosen which values go on. */
  const [isStale, setStale] = useState(!isNew && draft !== undefined && draft.etag !== start.tag);
  /** The input is sent, discarded or kept elsewhere: the form may still be there when the page is left. */
  const isOver = useRef(false);
  const [owner] = useState(session.me.peek()?.user_id);
  const keep = () => {
    if (isStale || isOver.current || session.me.peek()?.user_id !== owner) return;
    const time = new Date().toISOString();
    const title = `${description.title ?? description.class}, ${titleIn(description, form.record)}`;
    const isKept = keepDraft({
      href,
      title,
      className: description.class,
      record: form.record,
      base: stored,
      etag: start.tag,
      message,
      time,
    });
    setKept(isKept ? time : undefined);
    setFull(!isKept);
  };
  useEffect(() => {
    if (!isDirty || form.busy || isStale) return undefined;
    const timer = setTimeout(keep, 500);
    // Who leaves a field may leave the form with the same click.
    addEventListener('focusout', keep);
    addEventListener('pagehide', keep);
    return () => {
      clearTimeout(timer);
      removeEventListener('focusout', keep);
      removeEventListener('pagehide', keep);
    };
  }, [form.record, message, form.busy, isStale]);
  useEffect(() => {
    if (draft) keepAnswers();
  }, []);
  useReturn(start, () => {
    if (isDirty) keep();
    readAgain();
  });
  useSuggestedPid(form, start);
  const done = (text: string, to: string) => {
    isOver.current = true;
    discardDraft(href);
    toast(text);
    go(to);
  };
  const name = () => titleIn(description, form.record);
  const recordUrl = () => urlOf([collection, 'record'], { pid: String(form.record.pid) });
  const mayCurate = may(collection, 'curate');
  const maySubmit = may(collection, 'write_zone');
  const onRefused = (action: 'send' | 'save') => (error: ClientError) => {
    if (isAway(error.status)) keep();
    if (error.status !== 412 || isNew) return;
    asked.current = action;
    keep();
    readAgain();
  };
  const send = async () => {
    const sent = await form.attempt(
      whileThere(start, () =>
        submit(collection, description.class, form.record, {
          isNew,
          basedOn: start.inZone ? null : start.curatedTag,
          ifMatch: start.inZone ? start.tag : null,
          message,
        }),
      ),
      onRefused('send'),
    );
    if (!sent) return;
    if (submissions) done(t('form.submitted', { title: name() }), submissions.own(collection));
    else done(t('form.saved', { title: name() }), recordUrl());
  };
  const save = async () => {
    const saved = await form.attempt(
      whileThere(start, () =>
        curate(collection, description.class, form.record, isNew ? null : start.curatedTag),
      ),
      start.inZone ? undefined : onRefused('save'),
    );
    if (saved) done(t('form.saved', { title: name() }), recordUrl());
  };
  useEffect(() => {
    const { current: action } = asked;
    asked.current = undefined;
    if (action && !isStale) (action === 'send' ? send : save)();
  }, []);
  const discard = () => {
    discardDraft(href);
    setKept(undefined);
    isOver.current = draft !== undefined;
    if (draft) readAgain();
    else form.replace(stored ?? first.current);
  };
  const beginAnother = () => {
    isOver.current = true;
    setDraftAside(href);
    readAgain();
  };
  const primary = mayCurate && !start.inZone && !isNew ? save : maySubmit ? send : save;
  useKeys({
    'ctrl+Enter': () => (isStale ? false : primary()),
    'ctrl+s': keep,
    'ctrl+j': () => setBeside(!beside),
  });
  const title = isNew
    ? t('form.newTitle', { noun: description.title ?? description.class })
    : t('form.editTitle', { title: titleIn(description, stored) });
  const both = mayCurate && maySubmit;
  const buttons = isStale ? null : (
    <>
      {isDirty && (
        <button type="button" class="btn quiet" onClick={discard}>
          {t('form.discard')}
        </button>
      )}
      {mayCurate && (
        <button
          type="button"
          class={primary === save ? 'btn primary' : 'btn'}
          disabled={form.busy}
          onClick={save}
        >
          {t(both ? 'form.saveCurated' : 'form.save')} {primary === save && <kbd>{keyNames('Ctrl ↵')}</kbd>}
        </button>
      )}
      {maySubmit && (
        <button
          type="button"
          class={primary === send ? 'btn primary' : 'btn'}
          disabled={form.busy}
          onClick={send}
        >
          {t('form.submit')} {primary === send && <kbd>{keyNames('Ctrl ↵')}</kbd>}
        </button>
      )}
    </>
  );
  return (
    <Sheets second={beside && !isStale ? 'two' : undefined}>
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
        <OthersLine
          changes={start.inZone ? [] : others}
          of="record"
          action={t('others.compare')}
          onShow={() => {
            if (isDirty) keep();
            readAgain();
          }}
        />
        <div class="page">
          <Heading tile={<Tile name={description.class} large />} title={title}>
            {!isNew && <span class="mono">{String(form.record.pid)}</span>}
            <span>{description.title ?? description.class}</span>
            {isNew && subclasses.length > 1 && (
              <ChangeClass collection={collection} current={description.class} classes={subclasses} />
            )}
          </Heading>
          {description.description && isNew && <p class="muted lead-text">{description.description}</p>}
          {!isNew && start.inZone && <Panels place="form" collection={collection} pid={String(stored.pid)} />}
          <Alike collection={collection} pid={String(form.record.pid)} others={form.alike} />
          {draft && !isStale && (
            <div class="note">
              <Icon name="file" />
              <div>
                <span>{t('form.draftRestored', { time: shortTime(draft.time) })} </span>
                <button type="button" class="linkish" onClick={discard}>
                  {t('form.discard')}
                </button>
                {isNew && (
                  <>
                    {' · '}
                    <button type="button" class="linkish" onClick={beginAnother}>
                      {t('form.another')}
                    </button>
                  </>
                )}
              </div>
            </div>
          )}
          {isStale && draft && (
            <DraftMerge
              description={description}
              base={draft.base}
              stored={stored!}
              draft={draft.record}
              onDiscard={() => {
                setStale(false);
                discard();
              }}
              onMerged={(record) => {
                setStale(false);
                form.replace(record);
              }}
            />
          )}
          {!isStale && <FormFailure form={form} isNew={isNew} again={primary} />}
          {!isStale && <RecordFields form={form} description={description} />}
          {!isStale && <PolicyField collection={collection} record={form.record} onChange={form.replace} />}
          {maySubmit && !isStale && (
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
      {beside && !isStale && <JsonSheet form={form} stored={stored} onClose={() => setBeside(false)} />}
    </Sheets>
  );
}

/** Begins again when the service is back, if the form began without it; before, its user may have to sign in. */
function useReturn({ alone }: Start, begin: () => void): void {
  const round = returned.value;
  const first = useRef(round);
  useEffect(() => {
    if (alone && !session.isGuest.peek() && round !== first.current) begin();
    first.current = round;
  }, [round]);
}

/** Refuses to store from a form that began without the service: its input must first be compared with the present record. */
function whileThere({ alone }: Start, store: () => Promise<void>): () => Promise<void> {
  return async () => {
    if (alone) throw new ClientError(t('error.offline'), away.peek() === undefined ? 401 : 0);
    await store();
  };
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
    if (stored || draft?.record.pid !== undefined || prefix === '' || typeof name !== 'string' || name === '')
      return;
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

/** Names curated records with the same identifier, before there are two of them. */
function Alike(props: { collection: string; pid: string; others: readonly string[] }) {
  const titles = useTitles(props.collection, props.others);
  return <SameThing title={t('form.sameThing')} titles={titles} {...props} />;
}
