/** The form on its sheet: its record, what is done with the input, and the JSON beside it. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FollowedChange } from '../../src/client/client.ts';
import { FormFailure } from '../form/form-failure.tsx';
import { suggestedPid } from '../form/new-record.ts';
import { RecordFields, type RecordForm } from '../form/record-form.tsx';
import { Icon } from '../shared/icons.tsx';
import { useKeys } from '../shared/keys.ts';
import { OthersLine } from '../shared/others.tsx';
import { Panels } from '../shared/panels.tsx';
import { PolicyField } from '../shared/policy-parts.tsx';
import { go, urlOf } from '../shared/router.ts';
import { SameThing } from '../shared/same-thing.tsx';
import { titleIn, titleSlot } from '../shared/schema.ts';
import { Heading, MainSheet, Sheets } from '../shared/sheet.tsx';
import { Tile, useTitles } from '../shared/tile.tsx';
import { shortTime } from '../shared/time.ts';
import { keyNames, t } from '../texts/texts.ts';
import type { Start } from './begin-form.ts';
import { DraftMerge } from './draft-merge.tsx';
import { JsonSheet } from './json-sheet.tsx';
import { type StoreAction, type Submission, type SubmissionProps, useSubmission } from './use-submission.ts';

export function FormSheet({
  subclasses,
  others,
  ...props
}: SubmissionProps & {
  readonly subclasses: readonly string[];
  /** Changes of others to the curated record since it was read. */
  readonly others: readonly FollowedChange[];
}) {
  const { collection, start, readAgain } = props;
  const { description, stored, draft } = start;
  const submission = useSubmission(props);
  const { form, isStale, actions, store, keep } = submission;
  const isNew = stored === undefined;
  const [beside, setBeside] = useState(false);
  useSuggestedPid(form, start);
  const [usual] = actions;
  useKeys({
    'ctrl+Enter': () => (isStale || !usual ? false : store(usual)),
    'ctrl+s': keep,
    'ctrl+j': () => setBeside(!beside),
  });
  const noun = description.title ?? description.class;
  const title = isNew
    ? t('form.newTitle', { noun })
    : t('form.editTitle', { title: titleIn(description, stored) });
  const buttons = !isStale && <Buttons submission={submission} />;
  return (
    <Sheets second={beside && !isStale ? 'two' : undefined}>
      <MainSheet
        title={isNew ? title : titleIn(description, form.record)}
        headed
        label={title}
        crumbs={[
          { text: collection, href: urlOf([collection, 'browse']) },
          {
            text: noun,
            href: urlOf([collection, 'browse', description.class]),
          },
        ]}
        actions={
          <>
            <DraftMark submission={submission} />
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
          collection={collection}
          changes={start.inZone ? [] : others}
          of="record"
          action={t('others.compare')}
          onShow={() => readAgain()}
        />
        <div class="page">
          <Heading tile={<Tile name={description.class} large />} title={title}>
            {!isNew && <span class="mono">{String(form.record.pid)}</span>}
            <span>{noun}</span>
            {isNew && subclasses.length > 1 && (
              <ChangeClass collection={collection} current={description.class} classes={subclasses} />
            )}
          </Heading>
          {description.description && isNew && <p class="muted lead-text">{description.description}</p>}
          {!isNew && start.inZone && <Panels place="form" collection={collection} of={String(stored.pid)} />}
          <Alike collection={collection} pid={String(form.record.pid)} others={form.alike} />
          {draft && !isStale && <DraftNote submission={submission} time={draft.time} />}
          {isStale && draft && (
            <DraftMerge
              collection={collection}
              description={description}
              base={draft.base}
              stored={stored!}
              draft={draft.record}
              onDiscard={submission.discard}
              onMerged={submission.merge}
            />
          )}
          {!isStale && (
            <>
              <FormFailure form={form} isNew={isNew} again={submission.storeAgain} />
              <RecordFields form={form} description={description} />
              <PolicyField collection={collection} record={form.record} onChange={form.replace} />
              {actions.includes('send') && <MessageField submission={submission} />}
            </>
          )}
        </div>
      </MainSheet>
      {beside && !isStale && <JsonSheet form={form} stored={stored} onClose={() => setBeside(false)} />}
    </Sheets>
  );
}

/** Shows when the draft was kept, or that the browser has no room for it. */
function DraftMark({ submission: { isFull, keptAt, isDirty } }: { submission: Submission }) {
  const kept = keptAt && isDirty ? t('form.draftKept', { time: shortTime(keptAt) }) : '';
  return (
    <span class="tiny faint not-small" aria-live="polite">
      {isFull ? t('form.draftFull') : kept}
    </span>
  );
}

/** The ways of storing in the order of their buttons. */
const ACTIONS: readonly StoreAction[] = ['save', 'send'];

function Buttons({ submission: { form, isDirty, actions, store, discard } }: { submission: Submission }) {
  const texts = { send: t('form.submit'), save: t(actions.length > 1 ? 'form.saveCurated' : 'form.save') };
  return (
    <>
      {isDirty && (
        <button type="button" class="btn quiet" onClick={discard}>
          {t('form.discard')}
        </button>
      )}
      {ACTIONS.filter((action) => actions.includes(action)).map((action) => (
        <button
          key={action}
          type="button"
          class={action === actions[0] ? 'btn primary' : 'btn'}
          disabled={form.busy}
          onClick={() => store(action)}
        >
          {texts[action]} {action === actions[0] && <kbd>{keyNames('Ctrl ↵')}</kbd>}
        </button>
      ))}
    </>
  );
}

function DraftNote({ submission, time }: { submission: Submission; time: string }) {
  return (
    <div class="note">
      <Icon name="file" />
      <div>
        <span>{t('form.draftRestored', { time: shortTime(time) })} </span>
        <button type="button" class="linkish" onClick={submission.discard}>
          {t('form.discard')}
        </button>
        {submission.isNew && (
          <>
            {' · '}
            <button type="button" class="linkish" onClick={submission.beginAnother}>
              {t('form.another')}
            </button>
          </>
        )}
      </div>
    </div>
  );
}

function MessageField({ submission: { message, setMessage } }: { submission: Submission }) {
  return (
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
  );
}

/** Follows the name with the identifier of a new record until that is edited. */
function useSuggestedPid(form: RecordForm, { description, stored, prefix, draft }: Start): void {
  const slot = titleSlot(description);
  const name = slot ? form.record[slot.name] : undefined;
  const last = useRef(form.record.pid);
  // The identifier of a draft that was not made from its name is one that was typed.
  const isTyped = useRef(
    draft?.record.pid !== undefined &&
      draft.record.pid !== suggestedPid(prefix, description, String(name ?? '')),
  ).current;
  // Before the next key, which may send the record.
  useLayoutEffect(() => {
    if (stored || isTyped || prefix === '' || typeof name !== 'string' || name === '') return;
    if (form.record.pid !== last.current) return;
    const pid = suggestedPid(prefix, description, name);
    last.current = pid;
    form.change(['pid'], pid);
  }, [name, prefix]);
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
