/** The frame around a view: the collection that its entries lead to, and what the rail shows below them. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { place } from './router.ts';
import { session } from './session.ts';

/** The properties of every view below a collection. */
export type ViewProps = { readonly collection: string };

/** The classes, filters or neighbors of the view. */
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

/** Whether the rail is open where it is a drawer, on small screens. */
export const drawer = signal(false);
/** The collection that was on the screen last. */
export const lastCollection = signal<string | undefined>(undefined);

/** The collection of the view, else the last one, else the first. */
export function currentCollection(): string | undefined {
  const known = session.me.value?.collections ?? {};
  const candidates = [place.value.path[0], lastCollection.peek(), Object.keys(known)[0]];
  return candidates.find((name) => name !== undefined && name in known);
}
