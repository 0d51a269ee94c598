/** Saved views of a class: search, filters, columns and order under a name, in this browser or for everybody. */
import { useState } from 'preact/hooks';
import { changeSettings } from '../collection/change-settings.ts';
import { useAction } from '../shared/action.ts';
import { TrashButton } from '../shared/delete-element.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { useLoad } from '../shared/load.ts';
import { go, place, queryOf, urlOf } from '../shared/router.ts';
import type { ClassDescription, Slot } from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { may } from '../shared/session.ts';
import { TextField } from '../shared/text-field.tsx';
import { COLUMNS, WIDTHS } from './columns.ts';
import { tb } from './texts.ts';
import { widthsText } from './widths.ts';

const PREFIX = 'accession.views:';

/** Queries by name. */
type Views = Readonly<Record<string, string>>;

/** The views of a class in this browser. */
function readViews(key: string): Views {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}');
  } catch {
    return {};
  }
}

function without(views: Views, name: string): Views {
  return Object.fromEntries(Object.entries(views).filter(([other]) => other !== name));
}

export function ViewsDialog(props: {
  collection: string;
  description: ClassDescription;
  /** The columns that are shown. */
  slots: readonly Slot[];
  /** The widths that the user has given them, after that of the name. */
  shares: readonly number[] | undefined;
  onClose: () => void;
}) {
  const { collection, description, slots, shares, onClose } = props;
  const key = `${PREFIX}${collection}/${description.class}`;
  const [own, setOwn] = useState(readViews(key));
  const shared = useLoad(
    key,
    async (signal) => (await lab(collection, signal).class(description.class)).views,
  );
  const [name, setName] = useState('');
  const [forAll, setForAll] = useState(false);
  const maySave = may(collection, 'curate');
  const keepOwn = (next: Views) => {
    localStorage.setItem(key, JSON.stringify(next));
    setOwn(next);
  };
  const {
    busy,
    error,
    run: keepShared,
  } = useAction(async (change: (views: Views) => Views) => {
    const { views = {} } = await lab(collection).curation.settings();
    const next = change(views[description.class] ?? {});
    await changeSettings(collection, { views: { ...views, [description.class]: next } });
    shared.reload();
  });
  const save = async () => {
    const named = name.trim();
    if (named === '') return;
    const query = new URLSearchParams(place.value.query);
    query.delete('preview');
    query.set(COLUMNS, slots.map((slot) => slot.name).join(','));
    if (shares) query.set(WIDTHS, widthsText(shares));
    if (!forAll) keepOwn({ ...own, [named]: query.toString() });
    else if (!(await keepShared((views) => ({ ...views, [named]: query.toString() })))) return;
    setName('');
  };
  const open = (query: string) => {
    go(urlOf([collection, 'browse', description.class], queryOf(new URLSearchParams(query))));
    onClose();
  };
  const common = shared.value ?? {};
  return (
    <Dialog
      title={tb('viewsTitle', { name: description.title ?? description.class })}
      confirm={tb('save')}
      busy={busy}
      error={error ?? shared.error}
      onConfirm={save}
      onClose={onClose}
    >
      {Object.keys({ ...own, ...common }).length === 0 && <p class="muted">{tb('none')}</p>}
      <ViewList
        title={tb('forAll')}
        views={common}
        onOpen={open}
        onRemove={maySave ? (one) => keepShared((views) => without(views, one)) : undefined}
      />
      <ViewList
        title={tb('forMe')}
        views={own}
        onOpen={open}
        onRemove={(one) => keepOwn(without(own, one))}
      />
      <TextField
        id="view-name"
        label={tb('nameOfView')}
        first
        maxLength={100}
        value={name}
        onText={setName}
      />
      {maySave && (
        <p class="check-line">
          <label>
            <input
              type="checkbox"
              checked={forAll}
              onChange={(event) => setForAll(event.currentTarget.checked)}
            />{' '}
            {tb('forAllHelp')}
          </label>
        </p>
      )}
      <p class="muted small">{tb('viewsHelp')}</p>
    </Dialog>
  );
}

function ViewList({
  title,
  views,
  onOpen,
  onRemove,
}: {
  title: string;
  views: Views;
  onOpen: (query: string) => void;
  onRemove: ((name: string) => void) | undefined;
}) {
  if (Object.keys(views).length === 0) return null;
  return (
    <section class="field" aria-label={title}>
      <h3 class="label">{title}</h3>
      <ul class="stack-s">
        {Object.entries(views).map(([one, query]) => (
          <li key={one} class="listed-item">
            <button type="button" class="btn quiet" onClick={() => onOpen(query)}>
              <bdi>{one}</bdi>
            </button>
            {onRemove && (
              <TrashButton label={tb('removeView', { name: one })} onClick={() => onRemove(one)} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
