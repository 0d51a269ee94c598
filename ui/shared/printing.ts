/** Whether the page is being printed: then lists have all rows that are loaded, and long values are unfolded. */
import { signal } from '@preact/signals';

export const printing = signal(false);

/** To be called once. Components render in the same turn, before the browser lays out its pages. */
export function followPrinting(): void {
  addEventListener('beforeprint', () => {
    printing.value = true;
  });
  addEventListener('afterprint', () => {
    printing.value = false;
  });
}
