/** The list of keys. */
import { signal } from '@preact/signals';
import type { KeyList, KeyRow } from '../module.ts';
import { moduleView, RAIL } from '../modules.ts';
import { Dialog } from '../shared/dialog.tsx';
import { singleKeys, switchSingleKeys } from '../shared/keys.ts';
import { place, urlOf } from '../shared/router.ts';
import { type Key, keyNames, t } from '../texts/texts.ts';
import { beginTour, hasTour } from './tour.tsx';
import { tt } from './tour-texts.ts';

const open = signal(false);
export function openKeys(): void {
  open.value = true;
}

function closeKeys(): void {
  open.value = false;
}

/** The part of the documentation about a view, by the second part of its URL. */
const HELP: Readonly<Record<string, string>> = {
  browse: 'browse',
  record: 'browse',
  changes: 'browse',
  inbox: 'inbox',
  overview: 'overview',
  structure: 'overview',
  surroundings: 'overview',
  new: 'submit',
  edit: 'submit',
  submissions: 'submit',
  upload: 'submit',
  stewardship: 'stewardship',
  schema: 'stewardship',
  rename: 'stewardship',
  merge: 'stewardship',
  review: 'review',
  decisions: 'review',
};

function helpAbout(): string {
  const [first, second = ''] = place.value.path;
  return first === 'admin' ? 'administer' : (HELP[second] ?? 'sign-in');
}

type Row = readonly [text: Key, ...keys: string[]];
const TABLE: readonly Row[] = [
  ['keys.rows', 'J', 'K'],
  ['keys.openRow', 'Enter'],
  ['keys.preview', 'Space'],
  ['keys.ends', 'Home', 'End'],
  ['keys.edit', 'E'],
  ['keys.check', 'X'],
  ['keys.checkRange', 'Shift X'],
  ['keys.cells', '→', '←'],
  ['keys.change', 'V'],
  ['keys.filter', 'F'],
  ['keys.facets', 'Shift F'],
  ['keys.undo', 'U'],
];
const FORM: readonly Row[] = [
  ['keys.submit', 'Ctrl ↵'],
  ['keys.draft', 'Ctrl S'],
  ['keys.moveItem', 'Alt ↑ ↓'],
  ['keys.json', 'Ctrl J'],
];

function worded(rows: readonly Row[]): readonly KeyRow[] {
  return rows.map(([text, ...keys]) => [t(text), ...keys]);
}

/** The views in which `C` makes a record. */
const MAKING = [
  'browse',
  'record',
  ...RAIL.flatMap(({ name, rail }) => (rail.covers?.includes('new') ? [name] : [])),
];

function everywhere(): readonly KeyRow[] {
  const isMaking = MAKING.includes(place.value.path[1] ?? '');
  return [
    ...worded([
      ['keys.search', 'Ctrl K'],
      ['keys.find', '/'],
      ['keys.home', 'G H'],
      ['keys.browse', 'G B'],
    ]),
    ...RAIL.flatMap(({ rail: { key, title } }) =>
      key ? [[title(), `G ${key.toUpperCase()}`] as const] : [],
    ),
    ...worded([
      ['keys.stewardship', 'G D'],
      ['keys.admin', 'G A'],
      ...(isMaking ? [['keys.new', 'C'] as const] : []),
      ['keys.theme', 'T'],
      ['keys.back', 'Esc'],
    ]),
  ];
}

function ofView(): readonly KeyList[] {
  const [, name, part] = place.value.path;
  if (name === 'new' || name === 'edit') return [{ title: t('keys.inForm'), rows: worded(FORM) }];
  if (name === 'browse') return [{ title: t('keys.inTable'), rows: worded(TABLE) }];
  const keys = moduleView(name, part)?.keys?.();
  return keys ? [keys] : [];
}

export function KeysPlace() {
  if (!open.value) return null;
  return (
    <Dialog wide title={t('keys.title')} onClose={closeKeys}>
      {[...ofView(), { title: t('keys.everywhere'), rows: everywhere() }].map(({ title, rows }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl class="keys">
            {rows.map(([text, ...keys]) => (
              <div key={text}>
                <dt>{text}</dt>
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
      <p class="btns">
        <a class="btn" href={urlOf(['help'], { about: helpAbout() })} onClick={closeKeys}>
          {t('help.view')}
        </a>
        {hasTour() && (
          <button
            type="button"
            class="btn"
            onClick={() => {
              closeKeys();
              beginTour();
            }}
          >
            {tt('title')}
          </button>
        )}
      </p>
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
