/** Finds a record of a merge by name: of the class of the other one, if that is chosen. */
import { useState } from 'preact/hooks';
import { useEnter } from '../../../../ui/shared/enter.ts';
import { useDebounced, useLoad } from '../../../../ui/shared/load.ts';
import { HITS, searchRecords } from '../../../../ui/shared/records.ts';
import { readTitles } from '../../../../ui/shared/schema.ts';
import { Tile } from '../../../../ui/shared/tile.tsx';
import { t } from '../../../../ui/texts/texts.ts';

export function OtherRecord(props: {
  collection: string;
  label: string;
  /** The other record, which is chosen already; empty if none is. */
  pid: string;
  onChoose: (pid: string) => void;
}) {
  const { collection, label, pid, onChoose } = props;
  const [text, setText] = useState('');
  const wanted = useDebounced(text.trim());
  const { value: hits, loading } = useLoad(wanted === '' ? undefined : `${pid}/${wanted}`, async (signal) => {
    const own = pid === '' ? undefined : (await readTitles(collection, [pid])).get(pid);
    const found = await searchRecords(collection, own?.class ?? '', wanted, HITS + 1, signal);
    return found.filter((hit) => hit.pid !== pid).slice(0, HITS);
  });
  const setEntered = useEnter(!loading && wanted === text.trim(), () => {
    if (wanted !== '' && hits?.[0]) onChoose(hits[0].pid);
  });
  return (
    <div class="stack">
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setEntered(false);
        }}
        onKeyDown={({ key }) => key === 'Enter' && setEntered(true)}
      />
      {wanted !== '' && hits && hits.length > 0 && (
        <ul class="stack-s">
          {hits.map((hit) => (
            <li key={hit.pid}>
              <button type="button" class="btn quiet" onClick={() => onChoose(hit.pid)}>
                <Tile name={hit.class} />
                <bdi>{hit.title}</bdi> <span class="mono faint">{hit.pid}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <p class="small muted" role="status">
        {wanted !== '' && hits?.length === 0 && t('search.none', { text: wanted })}
      </p>
    </div>
  );
}
