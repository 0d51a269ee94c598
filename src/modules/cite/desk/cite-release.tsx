/** Below a release: its page, if visitors read it, and its citation. */
import { useState } from 'preact/hooks';
import type { PanelProps } from '../../../../ui/module.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { SERVICE } from '../../../../ui/shared/router.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { readsCurated, visitorIn } from '../../../../ui/shared/visitor.ts';

import { cite } from '../client.ts';
import { Citation } from './citation.tsx';
import { tc } from './texts.ts';

export function CiteRelease({ collection, of: name }: PanelProps) {
  const [isOpen, setOpen] = useState(false);
  const { value: visitor } = useLoad(collection, (signal) => visitorIn(collection, signal));
  const page = new URL(`-/${encodeURIComponent(collection)}/release/${encodeURIComponent(name)}`, SERVICE);
  return (
    <>
      {readsCurated(visitor) && (
        <p class="small public-address">
          <a href={page.href} target="_blank" rel="noopener">
            {page.href}
          </a>
        </p>
      )}
      <details class="small" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{tc('citeOf', { name })}</summary>
        {isOpen && (
          <Citation
            of={`${collection}/${name}`}
            read={(format, signal) => lab(collection, signal).use(cite).release(name, format)}
          />
        )}
      </details>
    </>
  );
}
