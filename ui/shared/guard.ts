/** Asks before a view is left that would lose something: by a link, Back, a reload, or closing the tab. */
import { useLayoutEffect } from 'preact/hooks';
import { askBeforeLeaving } from './router.ts';

/**
 * Asks while `isOn`.
 *
 * @param question what is asked within the desk; the browser has its own words for a reload
 */
export function useGuard(isOn: boolean, question: string): void {
  // Before the browser paints: it may be busy, and the next click may leave.
  useLayoutEffect(() => {
    if (!isOn) return undefined;
    const release = askBeforeLeaving(() => confirm(question));
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => {
      release();
      removeEventListener('beforeunload', warn);
    };
  }, [isOn, question]);
}
