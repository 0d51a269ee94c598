/** HTML as a template: inserted values stay text, unless they are HTML themselves. */

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The values of a template: strings are escaped, undefined is nothing. */
type Part = string | number | Html | undefined | readonly Part[];

/** Makes HTML of a template. Attributes have to be in double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0]!;
  for (const [at, part] of parts.entries()) text += textOf(part) + strings[at + 1]!;
  return new Html(text);
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  return Array.isArray(part) ? part.map(textOf).join('') : escapeMarkup(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that neither HTML nor XML 1.0 can have. */
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** Characters that HTML and XML do not allow as they are. */
const UNSAFE = /[&<>"'\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;

/** A string as text of HTML and XML. */
export function escapeMarkup(text: string): string {
  if (!UNSAFE.test(text)) return text;
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** JSON in an element `script` that is data: nothing in it can end the element. */
export function jsonData(mediaType: string, value: object): Html {
  const text = JSON.stringify(value).replaceAll('<', '\\u003c');
  return new Html(`<script type="${mediaType}">${text}</script>`);
}

/** The address of a link that a value may lead to; undefined for a value that is not one, such as `javascript:`. */
export function webAddress(value: string): string | undefined {
  return /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value) ? value : undefined;
}

export function element(
  name: string,
  content: Part,
  attributes: Readonly<Record<string, string | undefined>> = {},
): Html {
  const members = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : ` ${key}="${escapeMarkup(value)}"`,
  );
  return new Html(`<${name}${members.join('')}>${textOf(content)}</${name}>`);
}

/** The attributes of an XML element that locate the XML Schema of its namespace. */
export const schemaAt = (namespace: string, schema: string) => ({
  'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
  'xsi:schemaLocation': `${namespace} ${schema}`,
});
