/** Where everybody finds a curated record on the web; nothing if visitors do not read it. */
import type { PanelProps } from '../../../../ui/module.ts';
import { Copy } from '../../../../ui/shared/copy.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { service } from '../../../../ui/shared/service.ts';
import { readsCurated, visitorIn } from '../../../../ui/shared/visitor.ts';
import { publish } from '../client.ts';
import { tp } from './texts.ts';

/** Asks as a visitor does, so that it is the permissions and policies of visitors that decide. */
async function readAddress(collection: string, pid: string, signal: AbortSignal): Promise<string | null> {
  if (!readsCurated(await visitorIn(collection, signal))) return null;
  return service({ signal, token: '' }).collection(collection).use(publish).urlOf(pid);
}

export function PublicAddress({ collection, of: pid }: PanelProps) {
  const { value } = useLoad(`${collection}/${pid}`, (signal) => readAddress(collection, pid, signal));
  if (!value) return null;
  return (
    <section aria-label={tp('publicAddress')}>
      <h2>{tp('publicAddress')}</h2>
      <p class="public-address">
        <a href={value} target="_blank" rel="noopener">
          {value}
        </a>
        <Copy text={value} label={tp('copyPublic')} />
      </p>
    </section>
  );
}
