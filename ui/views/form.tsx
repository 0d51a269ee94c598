import { begin } from '../base/begin-form.ts';
import { useLoad } from '../base/load.ts';
import { place, urlOf } from '../base/router.ts';
import { readClasses, usualClass, written } from '../base/schema.ts';
import type { ViewProps } from '../base/view.ts';
import { ClassTree, familyOf } from '../parts/class-tree.tsx';
import { useContext } from '../parts/context.ts';
import { FormSheet } from '../parts/form-sheet.tsx';
import { Bones, Empty, ErrorNote } from '../parts/notes.tsx';
import { MainSheet, Sheets } from '../parts/sheet.tsx';
import { t } from '../texts/texts.ts';

export function FormView({ collection }: ViewProps) {
  const { path, query, key } = place.value;
  const pid = path[1] === 'edit' ? (query.get('pid') ?? '') : undefined;
  const href = urlOf(path, Object.fromEntries(query));
  const classes = useLoad(`${collection}/${written.value}`, (signal) => readClasses(collection, signal));
  const className = path[2] ?? (classes.value && usualClass(classes.value));
  const isKnown = pid !== undefined || className !== undefined;
  const {
    value: start,
    error,
    reload,
  } = useLoad(isKnown ? key : undefined, (signal) => begin(collection, href, className, pid, signal));
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
  if (!start || !classes.value || (pid === undefined && start.description.class !== className))
    return (
      <Sheets>
        <MainSheet title={t('form.title')}>
          <Bones />
        </MainSheet>
      </Sheets>
    );
  const family = familyOf(classes.value, start.description.class).filter(({ abstract }) => !abstract);
  return (
    <FormSheet
      key={key}
      collection={collection}
      href={href}
      start={start}
      subclasses={family.map((one) => one.class)}
    />
  );
}
