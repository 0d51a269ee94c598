/** How wide the window is, as the styles ask it. */
import { type ReadonlySignal, signal } from '@preact/signals';

/** Whether there is room beside the main sheet. */
export const isWide = matches('(min-width: 75rem)');
/** Whether the rail is beside the view; on smaller screens, it is a drawer. */
export const hasRail = matches('(min-width: 56.01rem)');

function matches(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const found = signal(list.matches);
  list.addEventListener('change', () => {
    found.value = list.matches;
  });
  return found;
}
