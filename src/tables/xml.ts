/** As much XML as the parts of a spreadsheet file need: a stream of tags and texts. */

/** What a reader meets. The name of a tag comes without its namespace prefix. */
export type XmlEvent =
  | {
      readonly kind: 'open';
      readonly name: string;
      readonly attributes: Readonly<Record<string, string>>;
      readonly empty: boolean;
    }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

const TAG = /<(\/?)([^\s/<>]+)((?:[^<>"']|"[^"]*"|'[^']*')*?)(\/?)>/y;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** What is skipped, or passed on as it is, from an opening to an end. */
const SECTIONS: readonly { readonly open: string; readonly end: string; readonly isText?: boolean }[] = [
  { open: '<!--', end: '-->' },
  { open: '<![CDATA[', end: ']]>', isText: true },
  { open: '<?', end: '?>' },
  { open: '<!', end: '>' },
];

/** The tags and texts of a document in order, in linear time. A document that breaks off ends if it does. */
export function* readXml(text: string): Generator<XmlEvent> {
  for (let at = 0; at < text.length; ) {
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
    TAG.lastIndex = tag;
    const [, slash, name, attributes, empty] = TAG.exec(text) ?? [];
    if (name === undefined) return;
    at = TAG.lastIndex;
    if (slash) yield { kind: 'close', name: localName(name) };
    else
      yield {
        kind: 'open',
        name: localName(name),
        attributes: attributesOf(attributes ?? ''),
        empty: empty === '/',
      };
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null);
  for (const [, name, double, single] of text.matchAll(ATTRIBUTE)) {
    found[name as string] = decoded(double ?? single ?? '');
  }
  return found;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** A string as content or attribute value. Characters that XML cannot have become U+FFFD. */
export function encoded(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '_x000D_');
}
