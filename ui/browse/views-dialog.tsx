/** Saved views of a class: search, filters and order under a name, in this browser. */
import { useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icons.tsx';
import { go, place, urlOf } from '../shared/router.ts';
import type { ClassDescription } from '../shared/schema.ts';
import { tb } from './texts.ts';

const PREFIX = 'accession.views:';

/** The views of a class: their queries by name. */
function readViews(key: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}');
  } catch {
    return {};
  }
}

export function ViewsDialog(props: {
  collection: string;
  description: ClassDescription;
  onClose: () => void;
}) {
  const { collection, description, onClose } = props;
  const key = `${PREFIX}${collection}/${description.class}`;
  const [views, setViews] = useState(readViews(key));
  const [name, setName] = useState('');
  const keep = (next: Readonly<Record<string, string>>) => {
    localStorage.setItem(key, JSON.stringify(next));
    setViews(next);
  };
  const save = () => {
    if (name.trim() === '') return;
    const query = new URLSearchParams(place.value.query);
    query.delete('preview');
    keep({ ...views, [name.trim()]: query.toString() });
    setName('');
  };
  const open = (query: string) => {
    go(urlOf([collection, 'browse', description.class], Object.fromEntries(new URLSearchParams(query))));
    onClose();
  };
  return (
    <Dialog
      title={tb('viewsTitle', { name: description.title ?? description.class })}
      confirm={tb('save')}
      onConfirm={save}
      onClose={onClose}
    >
      {Object.keys(views).length === 0 && <p class="muted">{tb('none')}</p>}
      <ul class="stack-s">
        {Object.entries(views).map(([one, query]) => (
          <li key={one} class="listed-item">
            <button type="button" class="btn quiet" onClick={() => open(query)}>
              <bdi>{one}</bdi>
            </button>
            <button
              type="button"
              class="icon"
              aria-label={tb('removeView', { name: one })}
              onClick={() =>
                keep(Object.fromEntries(Object.entries(views).filter(([other]) => other !== one)))
              }
            >
              <Icon name="trash" />
            </button>
          </li>
        ))}
      </ul>
      <div class="field">
        <label for="view-name">{tb('nameOfView')}</label>
        <input
          class="input"
          id="view-name"
          data-first
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <p class="muted small">{tb('viewsHelp')}</p>
    </Dialog>
  );
}
