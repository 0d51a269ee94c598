/** Saved views of a class: search, filters, columns and order under a name, in this browser or for everybody. */
import { useState } from 'preact/hooks';
import { COLUMNS, WIDTHS } from '../../../../ui/browse/columns.ts';
import { widthsText } from '../../../../ui/browse/widths.ts';
import type { BrowseToolProps } from '../../../../ui/module.ts';
import { useAction } from '../../../../ui/shared/action.ts';
import { TrashButton } from '../../../../ui/shared/delete-element.tsx';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { useKept } from '../../../../ui/shared/kept.ts';
import { go, place } from '../../../../ui/shared/router.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { may } from '../../../../ui/shared/session.ts';
import { TextField } from '../../../../ui/shared/text-field.tsx';
import { toast } from '../../../../ui/shared/toast.tsx';
import { views as savedViews } from '../client.ts';
import { keepOwn, noteChange, urlOfView, useSavedViews, type Views } from './saved.ts';
import { tv } from './texts.ts';

function without(views: Views, name: string): Views {
  return Object.fromEntries(Object.entries(views).filter(([other]) => other !== name));
}

export function ViewsDialog(props: BrowseToolProps) {
  const { collection, description, slots, shares, onClose } = props;
  const className = description.class;
  const { own, common, error: unread } = useSavedViews(collection, className);
  const [name, setName] = useKept<string>(`view/${collection}/${className}`, '');
  const [forAll, setForAll] = useState(false);
  const maySave = may(collection, 'curate');
  const client = lab(collection).use(savedViews);
  const {
    busy,
    error,
    run: change,
  } = useAction((work: () => Promise<unknown>) => work().finally(noteChange));
  const save = async () => {
    const named = name.trim();
    if (named === '') return;
    const query = new URLSearchParams(place.value.query);
    query.delete('preview');
    query.set(COLUMNS, slots.map((slot) => slot.name).join(','));
    if (shares) query.set(WIDTHS, widthsText(shares));
    if (!forAll) keepOwn(collection, className, { ...own, [named]: query.toString() });
    else if (!(await change(() => client.put({ class: className, name: named, query: query.toString() }))))
      return;
    setName('');
    toast(tv('saved', { name: named }));
    onClose();
  };
  const open = (query: string) => {
    go(urlOfView(collection, className, query));
    onClose();
  };
  return (
    <Dialog
      title={tv('title', { name: description.title ?? description.class })}
      confirm={tv('save')}
      busy={busy}
      error={error ?? unread}
      onConfirm={save}
      onClose={onClose}
    >
      {Object.keys({ ...own, ...common }).length === 0 && <p class="muted">{tv('none')}</p>}
      <ViewList
        title={tv('forAll')}
        views={common}
        onOpen={open}
        onRemove={maySave ? (one) => change(() => client.delete({ class: className, name: one })) : undefined}
      />
      <ViewList
        title={tv('forMe')}
        views={own}
        onOpen={open}
        onRemove={(one) => keepOwn(collection, className, without(own, one))}
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
