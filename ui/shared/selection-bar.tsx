/** Says how much of a list is selected, and selects all of it: the rows on the screen are seldom all that match. */
import { t } from '../texts/texts.ts';
import type { Pages } from './pages.ts';
import type { Selection } from './selection.ts';
import { count } from './time.ts';

export function SelectionBar<Row>({
  selection,
  pages: { total, more },
}: {
  selection: Selection<Row>;
  pages: Pages<Row>;
}) {
  const { isWhole, loaded, selectWhole, clear } = selection;
  if (!isWhole && loaded === undefined) return null;
  const all = count(total) + (more ? '+' : '');
  return (
    <div class="banner" role="status">
      {isWhole ? t('selection.whole', { all }) : t('selection.loaded', { n: loaded ?? 0 })}{' '}
      <button type="button" class="btn small" onClick={isWhole ? clear : selectWhole}>
        {isWhole ? t('selection.clear') : t('selection.all', { all })}
      </button>
    </div>
  );
}

/** The box in the head of a list. */
export function SelectAll<Row>({ selection }: { selection: Selection<Row> }) {
  return (
    <input
      type="checkbox"
      aria-label={t('browse.selectAll')}
      checked={selection.isAll}
      indeterminate={!selection.isAll && selection.size > 0}
      onChange={selection.toggleAll}
    />
  );
}
