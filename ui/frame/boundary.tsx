/** Shows the fault of a part of the desk in its place, which would stay blank otherwise. */
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { ErrorNote } from '../shared/notes.tsx';
import { place } from '../shared/router.ts';
import { asClientError } from '../shared/service.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';

/** @param isAlone whether it is around the whole desk: its frame is not shown then, which may have the fault */
export function Boundary({ isAlone = false, children }: { isAlone?: boolean; children: ComponentChildren }) {
  const [fault, tryAgain] = useErrorBoundary((problem) => reportError(problem));
  const { key } = place.value;
  const shown = useRef(key);
  useEffect(() => {
    if (key !== shown.current) tryAgain();
    shown.current = key;
  }, [key]);
  if (fault === undefined) return children;
  const note = <ErrorNote error={asClientError(fault)} retry={tryAgain} />;
  if (isAlone) return <div class="alone">{note}</div>;
  return (
    <Sheets>
      <MainSheet title="Accession">
        <div class="page">{note}</div>
      </MainSheet>
    </Sheets>
  );
}
