/** Saved views of a class: search, filters, columns and order under a name, in this browser or for everybody. */
import { useState } from 'preact/hooks';
import { COLUMNS, WIDTHS } from '../../../../ui/browse/columns.ts';
import { widthsText } from '../../../../ui/browse/widths.ts';
import type { BrowseToolProps } from '../../../../ui/module.ts';
import { useAction } from '../../../../ui/shared/action.ts';
import { TrashButton } from '../../../../ui/shared/delete-element.tsx';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { useKept } from '../../../../ui/shared/kept.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { go, place, queryOf, urlOf } from '../../../../ui/shared/router.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { may } from '../../../../ui/shared/session.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { toast } from '../../../../ui/shared/toast.tsx';
import { views as savedViews } from '../client.ts';
import { tv } from './texts.ts';

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

export function ViewsDialog(props: BrowseToolProps) {
  const { collection, description, slots, shares, onClose } = props;
  const key = `${PREFIX}${collection}/${description.class}`;
  const [own, setOwn] = useState(readViews(key));
  const shared = useLoad(key, async (signal) => {
    const saved = await lab(collection, signal).use(savedViews).list(description.class);
    return Object.fromEntries(saved.map(({ name, query }) => [name, query]));
  });
  const [name, setName] = useKept<string>(`view/${collection}/${description.class}`, '');
  const [forAll, setForAll] = useState(false);
  const maySave = may(collection, 'curate');
  const keepOwn = (next: Views) => {
    localStorage.setItem(key, JSON.stringify(next));
    setOwn(next);
  };
  const client = lab(collection).use(savedViews);
  const {
    busy,
    error,
    run: change,
  } = useAction((work: () => Promise<unknown>) => work().finally(shared.reload));
  const save = async () => {
    const named = name.trim();
    if (named === '') return;
    const query = new URLSearchParams(place.value.query);
    query.delete('preview');
    query.set(COLUMNS, slots.map((slot) => slot.name).join(','));
    if (shares) query.set(WIDTHS, widthsText(shares));
    if (!forAll) keepOwn({ ...own, [named]: query.toString() });
    else if (
      !(await change(() => client.put({ class: description.class, name: named, query: query.toString() })))
    )
      return;
    setName('');
    toast(tv('saved', { name: named }));
    onClose();
  };
  const open = (query: string) => {
    go(urlOf([collection, 'browse', description.class], queryOf(new URLSearchParams(query))));
    onClose();
  };
  const common = shared.value ?? {};
  return (
    <Dialog
      title={tv('title', { name: description.title ?? description.class })}
      confirm={tv('save')}
      busy={busy}
      error={error ?? shared.error}
      onConfirm={save}
      onClose={onClose}
    >
      {Object.keys({ ...own, ...common }).length === 0 && <p class="muted">{tv('none')}</p>}
      <ViewList
        title={tv('forAll')}
        views={common}
        onOpen={open}
        onRemove={
          maySave ? (one) => change(() => client.delete({ class: description.class, name: one })) : undefined
        }
      />
      <ViewList
        title={tv('forMe')}
        views={own}
        onOpen={open}
        onRemove={(one) => keepOwn(without(own, one))}
      />
      <TextField id="view-name" label={tv('name')} first maxLength={100} value={name} onText={setName} />
      {maySave && (
        <p class="check-line">
          <label>
            <input
              type="checkbox"
              checked={forAll}
              onChange={(event) => setForAll(event.currentTarget.checked)}
            />{' '}
            {tv('forAllHelp')}
          </label>
        </p>
      )}
      <p class="muted small">{tv('help')}</p>
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
            {onRemove && <TrashButton label={tv('delete', { name: one })} onClick={() => onRemove(one)} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
