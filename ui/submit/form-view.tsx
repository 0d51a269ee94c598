import { useRef, useState } from 'preact/hooks';
import { ClassTree, familyOf } from '../shared/class-tree.tsx';
import { useContext, type ViewProps } from '../shared/context.ts';
import { useLoad } from '../shared/load.ts';
import { NoRecord } from '../shared/no-record.tsx';
import { Bones, Empty, ErrorNote } from '../shared/notes.tsx';
import { useOthers } from '../shared/others.tsx';
import { place, urlOf } from '../shared/router.ts';
import { readClasses, usualClass, written } from '../shared/schema.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { t } from '../texts/texts.ts';
import { begin, type Start } from './begin-form.ts';
import { FormSheet } from './form-sheet.tsx';
import type { StoreAction } from './use-submission.ts';

export function FormView({ collection }: ViewProps) {
  const { path, query, key } = place.value;
  const pid = path[1] === 'edit' ? (query.get('pid') ?? '') : undefined;
  const href = urlOf(path, Object.fromEntries(query));
  const classes = useLoad(`${collection}`, (signal) => readClasses(collection, signal), written.value);
  const className = path[2] ?? (classes.value && usualClass(classes.value));
  const [round, setRound] = useState(0);
  const [retry, setRetry] = useState<{ readonly key: string; readonly action: StoreAction }>();
  const others = useOthers(collection, pid === undefined ? undefined : { pid }, round);
  const isKnown = pid !== undefined || className !== undefined;
  const keepInput = useRef<() => unknown>(() => {});
  const {
    value: start,
    error,
    loading,
    reload,
  } = useLoad(isKnown ? key : undefined, (signal) =>
    begin(collection, href, className, pid, () => keepInput.current(), signal),
  );
  const formKey = useFormKey(key, start);
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
  const problem = error ?? (start ? undefined : classes.error);
  if (problem)
    return (
      <Sheets>
        <MainSheet title={t('form.title')}>
          <div class="page">
            <ErrorNote error={problem} retry={error ? reload : classes.reload} />
          </div>
        </MainSheet>
      </Sheets>
    );
  const isWithoutClass = !isKnown && classes.value !== undefined;
  if (start === null || isWithoutClass)
    return (
      <Sheets>
        <MainSheet title={t('form.title')}>
          <div class="page">
            {isWithoutClass ? (
              <Empty title={t('browse.noClasses')} />
            ) : (
              <NoRecord collection={collection} {...(pid && { pid })} />
            )}
          </div>
        </MainSheet>
      </Sheets>
    );
  if (!start || loading || (pid === undefined && start.description.class !== className))
    return (
      <Sheets>
        <MainSheet title={t('form.title')}>
          <Bones />
        </MainSheet>
      </Sheets>
    );
  const family = familyOf(classes.value ?? [], start.description.class).filter(({ abstract }) => !abstract);
  return (
    <FormSheet
      key={formKey}
      collection={collection}
      href={href}
      start={start}
      others={others}
      keepInput={keepInput}
      retryAction={retry?.key === key ? retry.action : undefined}
      readAgain={(action) => {
        setRetry(action && { key, action });
        setRound(round + 1);
        reload();
      }}
      subclasses={family.map((one) => one.class)}
    />
  );
}

/**
 * Each beginning is a form of its own, but that of a form that began without the service and whose record is as it was: it goes
 * on, so that no one who types when the service is back loses the field or a letter.
 */
function useFormKey(key: string, start: Start | null | undefined): string {
  const shown = useRef({ key, start, number: 0 });
  const { start: before, number } = shown.current;
  if (start !== before) {
    const isSame = before?.alone && key === shown.current.key && start?.tag === before.tag;
    shown.current = { key, start, number: isSame ? number : number + 1 };
  }
  return `${key} ${shown.current.number}`;
}
