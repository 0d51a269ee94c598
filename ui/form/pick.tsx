/** Picks records of a class by typing their name; one that does not exist can be created on the way. */
import { useState } from 'preact/hooks';
import { Icon } from '../shared/icons.tsx';
import type { Json } from '../shared/json.ts';
import { useLoad } from '../shared/load.ts';
import { HITS, type Hit, searchRecords } from '../shared/records.ts';
import { localPart, type Range } from '../shared/schema.ts';
import { Tile, useTitles } from '../shared/tile.tsx';
import { t } from '../texts/texts.ts';
import { Combobox, Option, useCombobox } from './combobox.tsx';
import type { ControlProps } from './control.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { idOf } from './field.tsx';

export function Pick({ range, ...control }: ControlProps & { range: Extract<Range, { kind: 'class' }> }) {
  const { form, slot, path, value } = control;
  const id = idOf(path);
  const chosen = (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).map(
    String,
  );
  const state = useCombobox(control);
  const { open, at, wanted } = state;
  const [creating, setCreating] = useState<string>();
  const titles = useTitles(form.collection, chosen);
  const { value: found = [] } = useLoad(
    open ? `${form.collection}/${range.class}/${wanted}` : undefined,
    (signal) => searchRecords(form.collection, range.class, wanted, HITS, signal),
  );
  const hits = found.filter(({ pid }) => !chosen.includes(pid));
  const set = (next: readonly string[]) =>
    form.change(path, next.length === 0 ? undefined : slot.multivalued ? ([...next] as Json) : next.at(-1));
  const take = (pid: string) => {
    set(slot.multivalued ? [...chosen, pid] : [pid]);
    state.clear();
  };
  const typed = state.text.trim();
  const isIdentifier = /^[\w.-]+:\S+$/.test(typed);
  const options = hits.length + (typed === '' ? 0 : isIdentifier ? 2 : 1);
  const choose = (index: number) => {
    const hit = hits[index];
    if (hit) take(hit.pid);
    else if (isIdentifier && index === hits.length) take(typed);
    else if (typed !== '') setCreating(typed);
  };
  return (
    <Combobox
      control={control}
      state={state}
      chosen={chosen.map((pid) => {
        const known = titles?.get(pid);
        const content = (
          <>
            <Tile name={known?.class ?? range.class} />
            <bdi title={pid}>{known?.title || localPart(pid)}</bdi>
            {known === null && <span class="faint tiny nowrap">{t('value.notFound')}</span>}
          </>
        );
        return { value: pid, name: known?.title || pid, content };
      })}
      placeholder={t('form.typeName')}
      options={options}
      hasActive={options > 0}
      onChoose={choose}
      onRemove={(pid) => set(chosen.filter((one) => one !== pid))}
      dialog={
        creating !== undefined && (
          <CreateDialog
            collection={form.collection}
            range={range}
            name={creating}
            onClose={() => setCreating(undefined)}
            onCreated={(pid) => {
              setCreating(undefined);
              take(pid);
            }}
          />
        )
      }
    >
      <ul class="menu-list" id={`${id}-hits`} role="listbox" aria-label={t('form.candidates')}>
        {hits.map((hit, index) => (
          <Option
            key={hit.pid}
            id={`${id}-hit-${index}`}
            selected={index === at}
            onTake={() => take(hit.pid)}
          >
            <Candidate hit={hit} text={typed} />
          </Option>
        ))}
        {isIdentifier && (
          <Option id={`${id}-hit-${hits.length}`} selected={at === hits.length} onTake={() => take(typed)}>
            <Icon name="right" />
            <span>{t('form.useIdentifier')}</span>
            <span class="id mono">{typed}</span>
          </Option>
        )}
        {typed !== '' && (
          <Option
            make
            id={`${id}-hit-${options - 1}`}
            selected={at === options - 1}
            onTake={() => setCreating(typed)}
          >
            <Icon name="plus" />
            <span>
              {range.classes.length > 1
                ? t('form.createRecord', { name: typed })
                : t('form.create', { noun: range.class, name: typed })}
            </span>
          </Option>
        )}
      </ul>
    </Combobox>
  );
}

function Candidate({ hit, text }: { hit: Hit; text: string }) {
  const from = hit.title.toLowerCase().indexOf(text.toLowerCase());
  return (
    <>
      <Tile name={hit.class || '··'} />
      <bdi class="clip">
        {from < 0 || text === '' ? (
          hit.title
        ) : (
          <>
            {hit.title.slice(0, from)}
            <mark>{hit.title.slice(from, from + text.length)}</mark>
            {hit.title.slice(from + text.length)}
          </>
        )}
      </bdi>
      <span class="id mono">{hit.pid}</span>
    </>
  );
}
