/** The input of a form: kept as a draft, sent to review, saved in the curated area, or discarded. */

import { useContext, useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { ClientError } from '../../src/client/client.ts';
import { type RecordForm, useRecordForm } from '../form/record-form.tsx';
import { away, isAway, returned } from '../shared/connection.ts';
import { discardDraft, keepDraft, setDraftAside } from '../shared/drafts.ts';
import { isEqual, type JsonObject } from '../shared/json.ts';
import { keepAnswers } from '../shared/kept-answers.ts';
import { go, urlOf } from '../shared/router.ts';
import { titleIn } from '../shared/schema.ts';
import { may, session } from '../shared/session.ts';
import { Submissions } from '../shared/submission-urls.ts';
import { curate, submit } from '../shared/submit.ts';
import { toast } from '../shared/toast.tsx';
import { t } from '../texts/texts.ts';
import type { Start } from './begin-form.ts';

/** How a form stores its record: in the zone, for review, or in the curated area. */
export type StoreAction = 'send' | 'save';

export type SubmissionProps = {
  readonly collection: string;
  /** The URL of the form, under which its draft is kept. */
  readonly href: string;
  readonly start: Start;
  /** The action that was refused because the record had changed. It is repeated if the record is as the draft has it. */
  readonly retryAction: StoreAction | undefined;
  /** Begins again with the record as it is stored now, and the draft if it was kept. */
  readonly readAgain: (retryAction?: StoreAction) => void;
  /** Is given the function that keeps the input, for the next beginning. */
  readonly keepInput: { current: () => unknown };
};

type SubmissionState = {
  /** The message to the curators. */
  readonly message: string;
  /** When the draft was kept last; undefined if there is none. */
  readonly keptAt: string | undefined;
  /** The browser has no room for the draft. */
  readonly isFull: boolean;
  /** The draft was begun from another state of the record: first it is chosen which values go on. */
  readonly isStale: boolean;
};

export type Submission = SubmissionState & {
  readonly form: RecordForm;
  readonly isNew: boolean;
  readonly isDirty: boolean;
  /** The ways of storing that the token permits; the usual one is first. */
  readonly actions: readonly StoreAction[];
  readonly store: (action: StoreAction) => Promise<void>;
  /** Stores once more in the way that was tried last. */
  readonly storeAgain: () => Promise<void>;
  readonly keep: () => void;
  readonly discard: () => void;
  /** Sets the draft aside, and begins another record. */
  readonly beginAnother: () => void;
  /** Goes on with the values that were chosen between a stale draft and the record. */
  readonly merge: (record: JsonObject) => void;
  readonly setMessage: (message: string) => void;
};

const KEEP_MS = 500;

const changed = (state: SubmissionState, change: Partial<SubmissionState>): SubmissionState => ({
  ...state,
  ...change,
});

export function useSubmission(props: SubmissionProps): Submission {
  const { collection, href, start, retryAction, readAgain, keepInput } = props;
  const { description, stored, draft } = start;
  const isNew = stored === undefined;
  const submissions = useContext(Submissions);
  const form = useRecordForm({
    collection,
    className: description.class,
    initial: start.record,
    stored: stored ?? {},
  });
  const [state, change] = useReducer(changed, {
    message: draft?.message ?? '',
    keptAt: draft?.time,
    isFull: false,
    isStale: !isNew && draft !== undefined && draft.etag !== start.tag,
  });
  const { message, isStale } = state;
  const first = useRef(start.record);
  const isDirty = !isEqual(form.record, stored ?? first.current);
  /** The input is sent, discarded or kept elsewhere: the form may still be there when the page is left. */
  const isOver = useRef(false);
  const [owner] = useState(session.me.peek()?.user_id);

  const keep = () => {
    if (isStale || isOver.current || session.me.peek()?.user_id !== owner) return;
    const time = new Date().toISOString();
    const isKept = keepDraft({
      href,
      title: `${description.title ?? description.class}, ${titleIn(description, form.record)}`,
      className: description.class,
      record: form.record,
      base: stored,
      etag: start.tag,
      message,
      time,
    });
    change({ keptAt: isKept ? time : undefined, isFull: !isKept });
  };
  // Before the browser paints: it may be busy, and the last letter is kept, too.
  useLayoutEffect(() => {
    if (!isDirty || form.busy || isStale) return undefined;
    const timer = setTimeout(keep, KEEP_MS);
    // Who leaves a field may leave the form with the same click.
    addEventListener('focusout', keep);
    addEventListener('pagehide', keep);
    return () => {
      clearTimeout(timer);
      removeEventListener('focusout', keep);
      removeEventListener('pagehide', keep);
    };
  }, [form.record, message, form.busy, isStale]);
  keepInput.current = () => isDirty && keep();
  useEffect(() => {
    if (draft) keepAnswers();
  }, []);
  useReturn(start, readAgain);

  const recordUrl = () => urlOf([collection, 'record'], { pid: String(form.record.pid) });
  const inZone = {
    store: () =>
      submit(collection, description.class, form.record, {
        isNew,
        basedOn: start.inZone ? null : start.curatedTag,
        ifMatch: start.inZone ? start.tag : null,
        message,
      }),
    text: submissions ? ('form.submitted' as const) : ('form.saved' as const),
    url: () => (submissions ? submissions.own(collection) : recordUrl()),
    isRetried: !isNew,
  };
  const inCurated = {
    store: () => curate(collection, description.class, form.record, isNew ? null : start.curatedTag),
    text: 'form.saved' as const,
    url: recordUrl,
    isRetried: !isNew && !start.inZone,
  };
  const tried = useRef<StoreAction>('send');
  const store = async (action: StoreAction) => {
    tried.current = action;
    const way = action === 'send' ? inZone : inCurated;
    const isStored = await form.attempt(whileThere(start, way.store), (error) => {
      if (isAway(error.status)) keep();
      if (error.status === 412 && way.isRetried) readAgain(action);
    });
    if (!isStored) return;
    isOver.current = true;
    discardDraft(href);
    toast(t(way.text, { title: titleIn(description, form.record) }));
    go(way.url());
  };
  useEffect(() => {
    if (retryAction && !isStale) store(retryAction);
  }, []);

  const discard = () => {
    discardDraft(href);
    change({ keptAt: undefined, isStale: false });
    isOver.current = draft !== undefined;
    if (draft) readAgain();
    else form.replace(stored ?? first.current);
  };
  return {
    ...state,
    form,
    isNew,
    isDirty,
    store,
    storeAgain: () => store(tried.current),
    keep,
    discard,
    actions: actionsOf(collection, !isNew && !start.inZone),
    beginAnother() {
      isOver.current = true;
      setDraftAside(href);
      readAgain();
    },
    merge(record) {
      change({ isStale: false });
      form.replace(record);
    },
    setMessage: (message) => change({ message }),
  };
}

/** @param isCurated whether the record is one of the curated area, which curators usually save at once */
function actionsOf(collection: string, isCurated: boolean): StoreAction[] {
  const save: StoreAction[] = may(collection, 'curate') ? ['save'] : [];
  const send: StoreAction[] = may(collection, 'write_zone') ? ['send'] : [];
  return isCurated ? [...save, ...send] : [...send, ...save];
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
