/** What the rail shows below its entries: the classes, filters or neighbors of the view. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

export const context = signal<ComponentChildren>(null);

/** Shows something in the rail while the view is on the screen. */
export function useContext(content: ComponentChildren, key: unknown): void {
  useLayoutEffect(() => {
    context.value = content;
    return () => {
      context.value = null;
    };
  }, [key]);
}
