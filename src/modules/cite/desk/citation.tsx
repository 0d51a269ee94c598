/** A citation in the format that the user chooses, to copy. */
import { useState } from 'preact/hooks';
import { Copy } from '../../../../ui/shared/copy.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import type { CitationFormat } from '../client.ts';
import { tc } from './texts.ts';

const FORMATS: readonly CitationFormat[] = ['text', 'bibtex', 'ris', 'csl'];

/** @param read reads the citation; `of` names what is cited */
export function Citation(props: {
  of: string;
  read: (format: CitationFormat, signal: AbortSignal) => Promise<string>;
}) {
  const [format, setFormat] = useState<CitationFormat>('text');
  const { value } = useLoad(`${props.of}/${format}`, (signal) => props.read(format, signal));
  if (value === undefined) return null;
  return (
    <>
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
    </>
  );
}
