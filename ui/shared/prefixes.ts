/** The prefixes of a collection, by which CURIEs are IRIs. */
import { isObject, type Json } from './json.ts';
import { lab } from './service.ts';
import { session } from './session.ts';

type Prefixes = ReadonlyMap<string, string>;

let owner = session.token.peek();
const known = new Map<string, Promise<Prefixes>>();

/** The prefixes of a collection, which are asked for once. */
export function readPrefixes(collection: string): Promise<Prefixes> {
  if (owner !== session.token.peek()) {
    owner = session.token.peek();
    known.clear();
  }
  const found = known.get(collection);
  if (found) return found;
  const asked = lab(collection)
    .context()
    .then((context) => new Map(prefixesIn(context)));
  asked.catch(() => known.delete(collection));
  known.set(collection, asked);
  return asked;
}

/** Also those within terms: a prefix that has the name of a slot is there alone. */
function prefixesIn(terms: Json | undefined): [name: string, iri: string][] {
  if (!isObject(terms)) return [];
  return Object.entries(terms).flatMap(([name, term]) =>
    isObject(term) && term['@prefix'] === true ? [[name, String(term['@id'])]] : prefixesIn(term),
  );
}

/** The IRI of a CURIE whose prefix is known; other texts as they are. */
export function expanded(prefixes: Prefixes, text: string): string {
  const parts = curieParts(text);
  const start = parts && prefixes.get(parts.prefix);
  return start === undefined ? text : start + parts!.local;
}

/** The parts of a CURIE; nothing of other texts. */
export function curieParts(text: string): { readonly prefix: string; readonly local: string } | undefined {
  const [, prefix, local] = /^([A-Za-z_][\w.-]*):(?!\/\/)(\S+)$/.exec(text) ?? [];
  return prefix === undefined || local === undefined ? undefined : { prefix, local };
}
