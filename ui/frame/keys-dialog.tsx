/** The list of keys. */
import { signal } from '@preact/signals';
import { Dialog } from '../shared/dialog.tsx';
import { singleKeys, switchSingleKeys } from '../shared/keys.ts';
import { place } from '../shared/router.ts';
import { type Key, keyNames, t } from '../texts/texts.ts';

const open = signal(false);
export function openKeys(): void {
  open.value = true;
}

type Row = readonly [text: Key, ...keys: string[]];
const EVERYWHERE: readonly Row[] = [
  ['keys.search', 'Ctrl K'],
  ['keys.find', '/'],
  ['keys.home', 'G H'],
  ['keys.browse', 'G B'],
  ['keys.review', 'G R'],
  ['keys.submissions', 'G S'],
  ['keys.admin', 'G A'],
  ['keys.new', 'C'],
  ['keys.theme', 'T'],
  ['keys.back', 'Esc'],
];
const TABLE: readonly Row[] = [
  ['keys.rows', 'J', 'K'],
  ['keys.openRow', 'Enter'],
  ['keys.preview', 'Space'],
  ['keys.ends', 'Home', 'End'],
  ['keys.edit', 'E'],
  ['keys.check', 'X'],
  ['keys.checkRange', 'Shift X'],
  ['keys.change', 'V'],
  ['keys.undo', 'U'],
];
const QUEUE: readonly Row[] = [
  ['keys.rows', 'J', 'K'],
  ['keys.openRow', 'Enter'],
  ['keys.check', 'X'],
  ['keys.checkRange', 'Shift X'],
  ['keys.checkAll', 'Ctrl A'],
  ['keys.accept', 'A'],
  ['keys.acceptValid', 'Shift A'],
  ['keys.reject', 'R'],
  ['keys.defer', 'D'],
  ['keys.undo', 'U'],
  ['keys.filter', 'F'],
];
const REVIEW: readonly Row[] = [
  ['keys.rows', 'J', 'K'],
  ['keys.next', 'N', 'P'],
  ['keys.sides', '1', '2', '3'],
  ['keys.conflict', 'C'],
  ['keys.folded', '.'],
  ['keys.accept', 'A'],
  ['keys.acceptAlone', 'Shift A'],
  ['keys.acceptSubmitted', 'S'],
  ['keys.reject', 'R'],
  ['keys.defer', 'D'],
  ['keys.ask', 'Q'],
  ['keys.undo', 'U'],
  ['keys.editValue', 'E'],
  ['keys.asForm', 'F'],
  ['keys.context', 'I'],
  ['keys.queue', 'Esc'],
];
const FORM: readonly Row[] = [
  ['keys.submit', 'Ctrl ↵'],
  ['keys.draft', 'Ctrl S'],
  ['keys.moveItem', 'Alt ↑ ↓'],
  ['keys.json', 'Ctrl J'],
];

/** The views in which `C` makes a record. */
const MAKING = ['browse', 'record', 'submissions'];

function everywhere(): readonly Row[] {
  const isMaking = MAKING.includes(place.value.path[1] ?? '');
  return EVERYWHERE.filter(([name]) => name !== 'keys.new' || isMaking);
}

function ofView(): readonly (readonly [Key, readonly Row[]])[] {
  const [, name, part] = place.value.path;
  if (name === 'review') return part === 'item' ? [['keys.inReview', REVIEW]] : [['keys.inQueue', QUEUE]];
  if (name === 'new' || name === 'edit') return [['keys.inForm', FORM]];
  return name === 'browse' ? [['keys.inTable', TABLE]] : [];
}

export function KeysPlace() {
  if (!open.value) return null;
  return (
    <Dialog
      wide
      title={t('keys.title')}
      onClose={() => {
        open.value = false;
      }}
    >
      {[...ofView(), ['keys.everywhere', everywhere()] as const].map(([title, rows]) => (
        <section key={title}>
          <h3>{t(title)}</h3>
          <dl class="keys">
            {rows.map(([text, ...keys]) => (
              <div key={text}>
                <dt>{t(text)}</dt>
                <dd>
                  {keys.map((key) => (
                    <kbd key={key}>{keyNames(key)}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <div class="check-line">
        <label>
          <input
            type="checkbox"
            checked={singleKeys.value}
            onChange={(event) => switchSingleKeys(event.currentTarget.checked)}
          />
          {t('keys.single')}
        </label>
      </div>
    </Dialog>
  );
}
