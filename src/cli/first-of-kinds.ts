/**
 * Many messages of few kinds: the first ones of each kind are printed, and how many more there are. Who corrects a column or a
 * store needs the kinds, and a rare one must not be lost among hundreds of another.
 */

const SHOWN_OF_A_KIND = 5;

/** Messages of a kind that were not printed. */
type Unprinted<T> = { readonly first: T; readonly last: T; readonly more: number };

type FirstOfKinds<T> = {
  /** Whether a message is printed: one of the first of its kind. */
  shows(kind: string, message: T): boolean;
  /** What was not printed since the last call. Counting begins again. */
  end(): Unprinted<T>[];
};

/** @param all whether each message is printed */
export function firstOfKinds<T>(all = false): FirstOfKinds<T> {
  const kinds = new Map<string, { readonly first: T; last: T; count: number }>();
  return {
    shows(kind, message) {
      const known = kinds.get(kind);
      if (known) {
        known.last = message;
        known.count += 1;
      } else kinds.set(kind, { first: message, last: message, count: 1 });
      return all || (known?.count ?? 1) <= SHOWN_OF_A_KIND;
    },
    end() {
      const found = [...kinds.values()].filter(({ count }) => !all && count > SHOWN_OF_A_KIND);
      kinds.clear();
      return found.map(({ first, last, count }) => ({ first, last, more: count - SHOWN_OF_A_KIND }));
    },
  };
}
