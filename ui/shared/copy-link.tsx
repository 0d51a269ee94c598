/** Copies a link to what is on the screen, and says who can open it. It never carries a token. */

import { t } from '../texts/texts.ts';
import { copyText } from './copy.tsx';
import { Icon } from './icons.tsx';
import { urlOfScreen } from './router.ts';
import { service } from './service.ts';
import { toast } from './toast.tsx';
import { readsCurated, visitorIn } from './visitor.ts';

/** Who can open a link: everybody, everybody a part of it, or only those with a token. */
type Readers = 'everybody' | 'sample' | 'token';

/** @param pid of the record that the link is to; without one, it is to a list */
async function readersOf(collection: string, pid: string | undefined): Promise<Readers> {
  const visitor = await visitorIn(collection);
  if (!readsCurated(visitor)) return 'token';
  if (pid === undefined) return visitor?.policies === undefined ? 'everybody' : 'sample';
  const titles = await service({ token: '' }).collection(collection).titles([pid]);
  return titles[pid] ? 'everybody' : 'token';
}

export function CopyLink({ collection, pid }: { collection: string; pid?: string }) {
  const copy = async () => {
    const link = urlOfScreen().href;
    if (!(await copyText(link))) return toast(t('link.notCopied', { link }));
    // Without an answer, the link is copied all the same.
    const readers = await readersOf(collection, pid).catch(() => undefined);
    toast(readers ? t(`link.${readers}`) : t('action.copied'));
  };
  return (
    <button
      type="button"
      class="btn quiet copy-link"
      aria-label={t('link.copy')}
      title={t('link.copy')}
      onClick={copy}
    >
      <Icon name="link" />
      <span>{t('link.copy')}</span>
    </button>
  );
}
