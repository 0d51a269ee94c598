/** References to records that do not exist. */
import { areasOf, type ReadStores } from '../../core/collections/stores.ts';
import { flagSchema, listOf, objectOf, type Shape, textSchema } from '../../core/shapes.ts';
import { yielder } from '../../core/yield.ts';

const danglingRow = objectOf({
  pid: textSchema,
  class: textSchema,
  in: textSchema,
  slot: textSchema,
  path: textSchema,
  to: textSchema,
});
export type DanglingRow = Shape<typeof danglingRow>;

export const danglingSchema = objectOf({
  items: listOf(danglingRow),
  more: { ...flagSchema, description: 'Whether there are more than these.' },
});

/** References to records that neither their own area nor the curated one has. */
export async function* danglingIn(stores: ReadStores): AsyncGenerator<DanglingRow> {
  const { schema, curated } = stores;
  const yieldIfDue = yielder();
  for (const { area, store } of await areasOf(stores)) {
    await yieldIfDue();
    let page = await store.links.dangling();
    for (;;) {
      const targets = [...new Set(page.references.map(({ to }) => to))];
      const elsewhere = new Set(store === curated ? [] : await curated.having(targets));
      for (const { pid, className, slot, path, to } of page.references) {
        if (!elsewhere.has(to)) yield { pid, class: className, in: area, slot, path, to: schema.compact(to) };
      }
      if (!page.next) break;
      page = await store.links.dangling(page.next);
    }
  }
}
