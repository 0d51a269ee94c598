/** As much XML as the parts of a spreadsheet file need: a stream of tags and texts. */

import { TableError } from './limits.ts';

/** The events of a reader. The name of a tag comes without its namespace prefix. */
export type XmlEvent =
  | {
      readonly kind: 'open';
      readonly name: string;
      readonly attributes: Readonly<Record<string, string>>;
      readonly empty: boolean;
      /** The position of the tag. */
      readonly at: number;
    }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

/** Excel itself writes fewer than twenty. */
const MOST_ATTRIBUTES = 100;

/** Sections that are skipped, or passed on as they are, from an opening to an end. */
const SECTIONS: readonly { readonly open: string; readonly end: string; readonly isText?: boolean }[] = [
  { open: '<!--', end: '-->' },
  { open: '<![CDATA[', end: ']]>', isText: true },
  { open: '<?', end: '?>' },
  { open: '<!', end: '>' },
];

/**
 * The tags and texts of a document in order, in linear time: what expressions would have to try again is scanned by hand. A
 * document that breaks off ends if it does.
 *
 * @param from the position of a tag to begin with
 * @throws TableError for a tag with too many attributes
 */
export function* readXml(text: string, from = 0): Generator<XmlEvent> {
  for (let at = from; at < text.length; ) {
    const tag = text.indexOf('<', at);
    if (tag !== at) yield { kind: 'text', text: decoded(text.slice(at, tag < 0 ? undefined : tag)) };
    if (tag < 0) return;
    const section = SECTIONS.find(({ open }) => text.startsWith(open, tag));
    if (section) {
      const end = text.indexOf(section.end, tag + section.open.length);
      if (end < 0) return;
      if (section.isText) yield { kind: 'text', text: text.slice(tag + section.open.length, end) };
      at = end + section.end.length;
      continue;
    }
    const end = endOfTag(text, tag + 1);
    if (end < 0) return;
    at = end + 1;
    const closes = text[tag + 1] === '/';
    const empty = text[end - 1] === '/';
    const inside = text.slice(tag + (closes ? 2 : 1), empty ? end - 1 : end);
    const blank = inside.search(/\s/);
    const name = localName(blank < 0 ? inside : inside.slice(0, blank));
    if (closes) yield { kind: 'close', name };
    else {
      const attributes = blank < 0 ? {} : attributesOf(inside.slice(blank));
      yield { kind: 'open', name, attributes, empty, at: tag };
    }
  }
}

/** The `>` that ends a tag, outside of quotes; -1 if the document breaks off in it. */
function endOfTag(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '>') return at;
    if (character === '<') return -1;
    if (character !== '"' && character !== "'") continue;
    at = text.indexOf(character, at + 1);
    if (at < 0) return -1;
  }
  return -1;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Every `name="value"`; what is not one is skipped. */
function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  let count = 0;
  for (let at = 0, equals = text.indexOf('='); equals >= 0; equals = text.indexOf('=', at)) {
    const name = text.slice(at, equals).trim().split(/\s+/).at(-1) as string;
    let open = equals + 1;
    while (isBlank(text[open])) open += 1;
    const quote = text[open];
    const close = quote === '"' || quote === "'" ? text.indexOf(quote, open + 1) : -1;
    at = close < 0 ? open : close + 1;
    if (close < 0 || name === '') continue;
    count += 1;
    if (count > MOST_ATTRIBUTES) throw new TableError('A tag of the workbook has too many attributes.');
    found[name] = decoded(text.slice(open + 1, close));
  }
  return found;
}

function isBlank(character: string | undefined): boolean {
  return character !== undefined && character.trim() === '';
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w{1,4}));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** A string as content or attribute value. Characters that XML cannot have become U+FFFD. */
export function encodeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '_x000D_');
}

/** The text of a cell: what XML cannot have, or would change, becomes `_xHHHH_`, and so does a `_` that begins such a string. */
export function encodedCell(text: string): string {
  const code = (found: string) => `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  return encodeXml(
    text.replaceAll(/_(?=x[0-9a-fA-F]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu, code),
  );
}
