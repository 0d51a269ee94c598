/** Deletes a record: from the own zone, or by curators from the curated area. */

import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { useAction } from './action.ts';
import { TrashButton } from './delete-element.tsx';
import { Dialog } from './dialog.tsx';
import { useKeys } from './keys.ts';
import { readLinks } from './links-back.tsx';
import { useLoad } from './load.ts';
import { lookedUp } from './lost-answer.ts';
import { readMany } from './records.ts';
import { go, urlOf } from './router.ts';
import { forget } from './schema.ts';
import { lab } from './service.ts';
import { may } from './session.ts';
import { StateMark } from './state.tsx';
import { RecordLink } from './tile.tsx';
import { toast } from './toast.tsx';

type Props = {
  collection: string;
  pid: string;
  title: string;
  className: string;
  etag: string | null;
  inZone: boolean;
};

export function DeleteButton(props: Props) {
  const [open, setOpen] = useState(false);
  const isPossible = props.inZone ? may(props.collection, 'write_zone') : may(props.collection, 'curate');
  useKeys({ Delete: () => (isPossible ? setOpen(true) : false) });
  if (!isPossible) return null;
  const words = t(props.inZone ? 'delete.withdraw' : 'delete.delete');
  return (
    <>
      <TrashButton label={words} title={words} onClick={() => setOpen(true)} />
      {open && <DeleteDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

export function DeleteDialog({
  collection,
  pid,
  title,
  className,
  inZone,
  onClose,
  onDone,
}: Omit<Props, 'etag'> & { onClose: () => void; onDone?: () => void }) {
  const links = useLoad(inZone ? undefined : pid, (signal) => readLinks(collection, pid, signal));
  const { busy, error, run } = useAction(async () => {
    const from = lab(collection);
    await lookedUp<unknown>(
      () => (inZone ? from : from.curated).delete(pid),
      async () => {
        const isThere = inZone
          ? (await from.titles([pid]))[pid]?.in === 'zone'
          : (await readMany(collection, [pid], { curated: true })).has(pid);
        return isThere ? undefined : true;
      },
    );
    toast(t(inZone ? 'delete.withdrawn' : 'delete.done', { title }));
    forget();
    if (onDone) onDone();
    else go(urlOf([collection, 'browse', className]));
    onClose();
  });
  const items = links.value?.from ?? [];
  return (
    <Dialog
      danger
      busy={busy}
      error={error}
      icon={<StateMark name={inZone ? 'withdrawn' : 'rejected'} />}
      title={t(inZone ? 'delete.withdrawTitle' : 'delete.title', { title })}
      confirm={t(inZone ? 'delete.withdraw' : 'delete.delete')}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{t(inZone ? 'delete.withdrawHelp' : 'delete.help')}</p>
      {items.length > 0 && (
        <>
          <p>
            {t(links.value?.counted === false ? 'delete.manyLinks' : 'delete.links', {
              n: links.value?.referrers ?? items.length,
            })}
          </p>
          <ul class="stack-s">
            {items.slice(0, 5).map((item) => (
              <li key={item.pid}>
                <RecordLink collection={collection} pid={item.pid} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
