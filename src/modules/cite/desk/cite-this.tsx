/** The citation of a record, beside it. */
import { useState } from 'preact/hooks';
import type { PanelProps } from '../../../../ui/module.ts';
import { Copy } from '../../../../ui/shared/copy.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { type CitationFormat, cite } from '../client.ts';
import { tc } from './texts.ts';

const FORMATS: readonly CitationFormat[] = ['text', 'bibtex', 'ris', 'csl'];

export function CiteThis({ collection, of: pid }: PanelProps) {
  const [format, setFormat] = useState<CitationFormat>('text');
  const { value } = useLoad(`${collection}/${pid}/${format}`, (signal) =>
    lab(collection, signal).use(cite).record(pid, format),
  );
  if (value === undefined) return null;
  return (
    <section aria-label={tc('cite')}>
      <h2>{tc('cite')}</h2>
      <p class="btns">
        <select
          class="input"
          aria-label={tc('format')}
          value={format}
          onChange={(event) => setFormat(event.currentTarget.value as CitationFormat)}
        >
          {FORMATS.map((one) => (
            <option key={one} value={one}>
              {tc(one)}
            </option>
          ))}
        </select>
        <Copy text={value} label={tc('copy')} />
      </p>
      <p class={format === 'text' ? 'small wrap-any' : 'small pre mono wrap-any'}>
        <bdi>{value}</bdi>
      </p>
    </section>
  );
}
