/** Settings with a path or URL that the service reads: modules have theirs in `sources.expected.ts`. */

export type Sending = {
  readonly send: (method: string, url: string, json: object, token?: string) => Promise<void>;
  /** The collection as it is configured. */
  readonly collection: object;
};
/** Has the service read what is at a path or URL, in the setting of this name. */
export type Case = (source: string, sending: Sending) => Promise<void>;

/** A schema that imports a source. */
export const importing = (source: string) =>
  `id: https://example.org/x\nname: x\nimports: ['${source.replace('.yaml', '')}']\n`;
/** In the configuration of the collection. */
export const replacing =
  (changes: (source: string) => readonly object[]): Case =>
  async (source, { send, collection }) => {
    const all = changes(source);
    for (const change of all) await send('PUT', '/collections/c', { ...collection, ...change });
    // A forge is asked by requests with tokens.
    await send('GET', '/c/records/', {}, 'token-of-a-forge');
    await send('PUT', '/collections/c', collection);
    await send('POST', '/collections', { ...collection, ...all[0], name: 'd', curated: 'd/curated' });
    await send('DELETE', '/collections/d', {});
  };
/** By the operation and the key of its body that has a path or URL, or a text with some, which the service reads. */
export type Cases = Readonly<Record<string, Case>>;

/** The same keys in each operation that stores the configuration of a collection. */
export function ofCollections<T>(cases: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  const operations = ['PUT /collections/{name}', 'POST /collections', 'PUT /collections'];
  return Object.fromEntries(
    operations.flatMap((operation) =>
      Object.entries(cases).map(([key, one]) => [`${operation} ${key}`, one]),
    ),
  );
}
