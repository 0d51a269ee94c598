/** What an overview is about, in the URLs of the desk and in requests. */
import type { Where } from '../../../../ui/browse/filters.ts';
import { urlOf } from '../../../../ui/shared/router.ts';

/** What is counted: a class, words, and filters as Browse has them. */
export type Scope = {
  readonly collection: string;
  readonly className: string | undefined;
  readonly text: string;
  readonly where: Where;
};

/** The URL of the records of a scope in Browse, with a further filter. */
export function browseUrl({ collection, className, text, where }: Scope, more: Where = {}): string {
  const filters = Object.entries({ ...where, ...more }).map(([name, values]) => [`is.${name}`, values]);
  const path = className === undefined ? [] : [className];
  return urlOf([collection, 'browse', ...path], { q: text, ...Object.fromEntries(filters) });
}

export const soughtIn = ({ className, text, where }: Scope) => ({
  where,
  ...(className !== undefined && { class: className }),
  ...(text !== '' && { q: text }),
});
