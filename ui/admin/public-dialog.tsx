/** Makes a collection public, or ends that: what everybody reads then, one confirmation, and one undo. */
import { signal } from '@preact/signals';
import type { PublicAccess } from '../../src/client/client.ts';
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icons.tsx';
import { useLoad } from '../shared/load.ts';
import { lookedUp } from '../shared/lost-answer.ts';
import { Loading } from '../shared/notes.tsx';
import { Panels } from '../shared/panels.tsx';
import { go, urlOf } from '../shared/router.ts';
import { forget } from '../shared/schema.ts';
import { asClientError, type ClientError, lab, service } from '../shared/service.ts';
import { session } from '../shared/session.ts';
import { count } from '../shared/time.ts';
import { toast } from '../shared/toast.tsx';
import { MORE_THAN_READING } from './elements.ts';
import { modeWords, ta } from './texts.ts';

type Failed = { readonly collection: string; readonly error: ClientError };

/** The undo that failed: the dialog opens again for another try, whatever view its key was pressed in. */
export const failedUndo = signal<Failed | undefined>(undefined);

async function switchTo(isPublic: boolean, collection: string): Promise<void> {
  const became = async () => {
    const access = await lab(collection).publicAccess();
    return access.public === isPublic ? access : undefined;
  };
  await lookedUp<unknown>(() => lab(collection).setPublic(isPublic), became);
  forget();
  session.me.value = await service().me();
}

export function PublicDialog({ collection, onClose }: { collection: string; onClose: () => void }) {
  const { value, error, reload } = useLoad(collection, (signal) => lab(collection, signal).publicAccess());
  const isSwitched = value && !MORE_THAN_READING.has(value.mode ?? 'NOTHING');
  const isPublic = value?.public ?? false;
  const action = ta(isPublic ? 'publicEnd' : 'publicMake');
  const failed = failedUndo.value?.collection === collection ? failedUndo.value.error : undefined;
  const words = (made: boolean) => ta(made ? 'publicMade' : 'publicEnded', { name: collection });
  const {
    busy,
    error: refused,
    run,
  } = useAction(async () => {
    await switchTo(!isPublic, collection);
    toast(words(!isPublic), () =>
      switchTo(isPublic, collection).then(
        () => toast(words(isPublic)),
        (problem) => {
          failedUndo.value = { collection, error: asClientError(problem) };
          go(urlOf(['admin', 'collections', collection]));
        },
      ),
    );
    onClose();
  });
  return (
    <Dialog
      title={ta(isPublic ? 'publicEndTitle' : 'publicTitle', { name: collection })}
      busy={busy}
      error={refused ?? failed}
      {...(isSwitched && { confirm: action })}
      onConfirm={run}
      onClose={onClose}
    >
      {isSwitched && failed && <p>{ta('publicUndoFailed', { name: collection, action })}</p>}
      {!value && <Loading error={error} retry={reload} />}
      {value && !isSwitched && (
        <p class="note">
          <Icon name="lock" />
          <span>
            {ta('publicOther', { token: value.default_token, rights: modeWords(value.mode!) })}{' '}
            <a href={urlOf(['admin', 'tokens'])}>{ta('key_tokens')}</a>
          </span>
        </p>
      )}
      {value && <Preview access={value} />}
      {value && <Panels place="public" collection={collection} of={collection} />}
      {value && <p class="small muted">{ta('publicStays')}</p>}
    </Dialog>
  );
}

/** What everybody reads: how many records of which classes, and how many policies keep back. */
function Preview({ access: { public: isPublic, records, visible, classes } }: { access: PublicAccess }) {
  const own = classes
    .map(({ class: name, title, count: all }) => {
      const below = classes.filter(({ is_a }) => is_a === name);
      return { name, title: title ?? name, n: below.reduce((left, { count: n }) => left - n, all) };
    })
    .filter(({ n }) => n > 0);
  return (
    <section aria-labelledby="public-preview">
      <h3 id="public-preview">{ta(isPublic ? 'publicReads' : 'publicWillRead')}</h3>
      <p>
        {ta('publicRecords', { n: count(visible), all: count(records) })}
        {visible < records && ` ${ta('publicKept', { n: count(records - visible) })}`}
      </p>
      {visible === 0 && records > 0 && <p class="note st-diverged">{ta('publicNone')}</p>}
      <ul class="stack-s small">
        {own.map(({ name, title, n }) => (
          <li key={name}>
            {title} <span class="muted num">{count(n)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
