/** The state of a form: the record, what the service says about it, and which fields were left. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ProblemReport } from '../../src/client/client.ts';
import { isAway } from '../shared/connection.ts';
import { Icon } from '../shared/icons.tsx';
import { isEmpty, isEqual, type Json, type JsonObject, withValue } from '../shared/json.ts';
import { blockedField } from '../shared/name-field.tsx';
import { problemWords } from '../shared/problem-words.ts';
import { type ClassDescription, readClass, readingOrder, slotTitle } from '../shared/schema.ts';
import { asClientError, ClientError } from '../shared/service.ts';
import { StateMark } from '../shared/state.tsx';
import { validate } from '../shared/submit.ts';
import { t } from '../texts/texts.ts';
import { Field, type FormContext, fieldId, idOf, type Path } from './field.tsx';
import { useFocusNext } from './focus-next.ts';
import { exampleIdentifier } from './new-record.ts';

const CHECK_MS = 400;
const FOLDED_FROM = 12;

export type RecordForm = FormContext & {
  readonly record: JsonObject;
  readonly problems: readonly ProblemReport[];
  /** Shows every problem, also of fields that were not left. */
  readonly showAll: boolean;
  readonly failure: ClientError | undefined;
  /** While the service is tried. */
  readonly busy: boolean;
  readonly checkedAt: Date | undefined;
  /** The pids of curated records with the same identifier. */
  readonly alike: readonly string[];
  readonly replace: (record: JsonObject) => void;
  /** Brings a value on the screen that a list leaves out. */
  readonly reveal: (path: Path) => void;
  /** Tries to store; shows what the service refuses. Returns whether it succeeded. */
  readonly attempt: (
    store: () => Promise<void>,
    onRefused?: (error: ClientError) => void,
  ) => Promise<boolean>;
};

/** The schema of a form, if that is not the one in force. Its functions stay the same while the form is open. */
export type FormSchema = Pick<FormContext, 'classOf'> & {
  /** Checks a record without storing it. @throws ClientError with its problems */
  readonly check: (
    className: string,
    record: JsonObject,
    signal?: AbortSignal,
  ) => Promise<{ readonly duplicates: readonly string[] }>;
};

function schemaInForce(collection: string): FormSchema {
  return {
    classOf: (name) => readClass(collection, name),
    check: (className, record, signal) => validate(collection, className, record, signal),
  };
}

/** The path of a problem within the record. */
export function pathOf({ loc }: ProblemReport): Path {
  return loc[0] === 'body' ? loc.slice(1) : loc;
}

export function useRecordForm({
  collection,
  className,
  initial,
  stored,
  schema: given,
}: {
  collection: string;
  className: string;
  initial: JsonObject;
  stored?: JsonObject | undefined;
  schema?: FormSchema;
}): RecordForm {
  const schema = useMemo(() => given ?? schemaInForce(collection), [given, collection]);
  const [record, setRecord] = useState(initial);
  const [found, setFound] = useState<readonly ProblemReport[]>([]);
  const [unfinished, setUnfinished] = useState<ReadonlyMap<string, ProblemReport>>(new Map());
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const [showAll, setShowAll] = useState(false);
  const [failure, setFailure] = useState<ClientError>();
  const [busy, setBusy] = useState(false);
  const [alike, setAlike] = useState<readonly string[]>([]);
  const [checkedAt, setCheckedAt] = useState<Date>();
  const [revealed, reveal] = useState<Path>();
  const start = useRef(stored ?? initial);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const { duplicates } = await schema.check(className, record, controller.signal);
        setAlike(duplicates);
        setFound([]);
      } catch (error) {
        if (controller.signal.aborted) return;
        if (error instanceof ClientError && error.problems.length > 0) setFound(error.problems);
        if (isAway(asClientError(error).status)) return;
      }
      setCheckedAt(new Date());
    }, CHECK_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [record, className, schema]);
  return useMemo(() => {
    const worded = found.map((problem) => ({ ...problem, msg: problemWords(problem) }));
    const problems = [...unfinished.values(), ...worded];
    const byPath = new Map<string, string>();
    for (const problem of problems) {
      const key = pathOf(problem).join('/');
      byPath.set(key, byPath.has(key) ? `${byPath.get(key)}\n${problem.msg}` : problem.msg);
    }
    return {
      collection,
      classOf: schema.classOf,
      record,
      problems,
      showAll,
      failure,
      busy,
      checkedAt,
      alike,
      revealed,
      reveal: (path: Path) => reveal([...path]),
      errorAt: (path: Path) => {
        const key = path.join('/');
        const begun = [...fresh].find((one) => isWithin(key, one));
        const isLeft =
          showAll ||
          [...left].some((one) => isWithin(key, one) && (begun === undefined || isWithin(one, begun)));
        return isLeft ? byPath.get(key) : undefined;
      },
      change: (path: Path, value: Json | undefined) =>
        setRecord((before) => withValue(before, path, value) as JsonObject),
      leave: (path: Path) => {
        const key = path.join('/');
        setLeft((before) => new Set([...before, key]));
        setFresh((before) => new Set([...before].filter((one) => !isWithin(one, key))));
      },
      begin: (path: Path) => setFresh((before) => new Set([...before, path.join('/')])),
      setUnfinished: (path: Path, text: string) =>
        setUnfinished((before) => {
          const key = path.join('/');
          if (text === '' && !before.has(key)) return before;
          const next = new Map(before);
          next.delete(key);
          if (text !== '') next.set(key, unfinishedAt(path, text));
          return next;
        }),
      isChanged: (path: Path) => {
        if (path.length !== 1 || !stored) return false;
        const key = String(path[0]);
        return !isEqual(start.current[key] ?? null, record[key] ?? null);
      },
      replace: (next: JsonObject) => setRecord(next),
      attempt: async (store: () => Promise<void>, onRefused?: (error: ClientError) => void) => {
        const showProblems = () => {
          setShowAll(true);
          requestAnimationFrame(() => document.getElementById('problems')?.focus());
          return false;
        };
        setFailure(undefined);
        const blocked = blockedField();
        if (blocked) {
          blocked.focus();
          return false;
        }
        if (unfinished.size > 0) return showProblems();
        setBusy(true);
        try {
          await store();
          return true;
        } catch (error) {
          const refused = asClientError(error);
          if (refused.problems.some(({ loc }) => loc[0] === 'body')) setFound(refused.problems);
          else setFailure(refused);
          onRefused?.(refused);
          return showProblems();
        } finally {
          setBusy(false);
        }
      },
    };
  }, [
    record,
    found,
    unfinished,
    left,
    fresh,
    showAll,
    failure,
    busy,
    checkedAt,
    alike,
    revealed,
    collection,
    schema,
  ]);
}

/** Whether a path, joined by `/`, is another one or below it. */
function isWithin(path: string, of: string): boolean {
  return path === of || path.startsWith(`${of}/`);
}

/** Reports input that leads to no record or term: it would not be stored. */
function unfinishedAt(path: Path, text: string): ProblemReport {
  return { type: 'unfinished', loc: ['body', ...path], msg: t('form.unfinished', { text }), input: text };
}

/** The label of the field of a path; undefined if the field is not on the screen. */
function labelOf(path: Path): string | undefined {
  const field = document.querySelector(`[data-path="${CSS.escape(path.join('/'))}"]`);
  return field?.querySelector('label, legend')?.firstChild?.textContent?.trim();
}

const nameOf = (part: string | number) =>
  typeof part === 'number' ? String(part + 1) : part.replaceAll('_', ' ');

const FRAMES = 20;

/** Gives a field the focus as soon as it is on the screen, else the nearest one around it. */
function focusField(path: Path, frames = FRAMES): void {
  const at = (depth: number) => document.getElementById(idOf(path.slice(0, depth)));
  requestAnimationFrame(() => {
    if (frames > 0 && !at(path.length)) return focusField(path, frames - 1);
    let depth = path.length;
    while (depth > 1 && !at(depth)) depth--;
    at(depth)?.focus();
    at(depth)?.scrollIntoView({ block: 'center' });
  });
}

/** The problems of a form as links to their fields. */
function ProblemSummary({ form, description }: { form: RecordForm; description: ClassDescription }) {
  const { problems } = form;
  if (!form.showAll || problems.length === 0) return null;
  const jump = (path: Path) => (event: Event) => {
    event.preventDefault();
    form.reveal(path);
    focusField(path);
  };
  const named = (path: Path) => {
    const slot = description.slots.find(({ name }) => name === path[0]);
    return [
      slot ? slotTitle(slot) : String(path[0] ?? description.class),
      ...path.slice(1).map((part, index) => labelOf(path.slice(0, index + 2)) ?? nameOf(part)),
    ].join(' › ');
  };
  return (
    <div class="note st-rejected" id="problems" tabIndex={-1} role="alert">
      <StateMark name="rejected" />
      <div>
        <p class="strong">{t('form.notSubmitted', { n: problems.length })}</p>
        <ul>
          {problems.map((problem) => (
            <li key={`${problem.loc.join('/')} ${problem.type}`}>
              <a href="#problems" onClick={jump(pathOf(problem))}>
                {named(pathOf(problem))}
              </a>{' '}
              <span class="pre">{problem.msg}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** All fields of a class: required first, then in the order of the schema; many empty ones are folded. */
export function RecordFields({
  form,
  description,
  requiredOnly = false,
}: {
  form: RecordForm;
  description: ClassDescription;
  requiredOnly?: boolean;
}) {
  const [opened, setOpened] = useState<readonly string[]>([]);
  const focusNext = useFocusNext();
  const slots = readingOrder(description).filter(({ designates_type }) => !designates_type);
  const rank = (slot: (typeof slots)[number]) => (slot.identifier ? 2 : slot.required ? 0 : 1);
  const inOrder = slots.toSorted((a, b) => Math.min(rank(a), 1) - Math.min(rank(b), 1));
  const wasFilled = useRef(
    new Set(slots.filter(({ name }) => !isEmpty(form.record[name])).map(({ name }) => name)),
  );
  const fold = requiredOnly || slots.length > FOLDED_FROM;
  const isShown = ({ name, required, identifier, recommended }: (typeof slots)[number]) =>
    !fold ||
    required ||
    identifier ||
    recommended ||
    wasFilled.current.has(name) ||
    opened.includes(name) ||
    !isEmpty(form.record[name]) ||
    form.errorAt([name]) !== undefined;
  const identifierHint = ({ identifier, name, pattern }: (typeof slots)[number]) =>
    identifier &&
    !pattern &&
    isEmpty(form.record[name]) && (
      <p class="help">{t('form.example', { example: exampleIdentifier(description) })}</p>
    );
  const hidden = inOrder.filter((slot) => !isShown(slot));
  return (
    <div class="form" data-fields>
      <ProblemSummary form={form} description={description} />
      {inOrder.filter(isShown).map((slot) => (
        <Field
          key={slot.name}
          form={form}
          slot={slot}
          path={[slot.name]}
          value={form.record[slot.name]}
          hint={identifierHint(slot)}
        />
      ))}
      {hidden.length > 0 && (
        <div class="field">
          <span class="label">{t('form.addSlot')}</span>
          <div class="btns">
            {hidden.map((slot) => (
              <button
                type="button"
                key={slot.name}
                class="btn small"
                onClick={() => {
                  setOpened([...opened, slot.name]);
                  focusNext(fieldId([slot.name]));
                }}
              >
                <Icon name="plus" size={14} />
                {slotTitle(slot)}
              </button>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}
