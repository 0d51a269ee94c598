/** The saved views of a class: those of this browser, and those for everybody. */
import { signal } from '@preact/signals';
import { useLoad } from '../../../../ui/shared/load.ts';
import { queryOf, urlOf } from '../../../../ui/shared/router.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { views } from '../client.ts';

const PREFIX = 'accession.views:';

/** Queries by name. */
export type Views = Readonly<Record<string, string>>;

/** Increases when a view is saved or deleted here. */
const changes = signal(0);

const keyOf = (collection: string, className: string) => `${PREFIX}${collection}/${className}`;

/** Says that views have changed. */
export function noteChange(): void {
  changes.value += 1;
}

/** Keeps the views of a class in this browser. */
export function keepOwn(collection: string, className: string, next: Views): void {
  localStorage.setItem(keyOf(collection, className), JSON.stringify(next));
  noteChange();
}

function readOwn(collection: string, className: string): Views {
  try {
    return JSON.parse(localStorage.getItem(keyOf(collection, className)) ?? '{}');
  } catch {
    return {};
  }
}

export function useSavedViews(collection: string, className: string) {
  const shared = useLoad(
    keyOf(collection, className),
    async (signal) => {
      const saved = await lab(collection, signal).use(views).list(className);
      return Object.fromEntries(saved.map(({ name, query }) => [name, query]));
    },
    changes.value,
  );
  return { own: readOwn(collection, className), common: shared.value ?? {}, error: shared.error };
}

/** The URL of Browse with a view. */
export function urlOfView(collection: string, className: string, query: string): string {
  return urlOf([collection, 'browse', className], queryOf(new URLSearchParams(query)));
}
