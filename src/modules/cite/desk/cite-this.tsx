/** The citation of a record. */
import type { PanelProps } from '../../../../ui/module.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { cite } from '../client.ts';
import { Citation } from './citation.tsx';
import { tc } from './texts.ts';

export function CiteThis({ collection, of: pid }: PanelProps) {
  return (
    <section aria-label={tc('cite')}>
      <h2>{tc('cite')}</h2>
      <Citation
        of={`${collection}/${pid}`}
        read={(format, signal) => lab(collection, signal).use(cite).record(pid, format)}
      />
    </section>
  );
}
