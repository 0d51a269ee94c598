/**
 * The parts of a workbook as the library gets them. What it does not do is done before, in their text: ISO dates are rounded
 * to milliseconds, and a cell without a value (a formula without a result, an error, a duration) has the reason as its text.
 */
import { encrypted, unpack } from './archive.ts';
import { withoutRepeatedCells, withUpperReferences } from './cell-references.ts';
import { MOST_ROWS, TableError, type TableLimits, TableTooLarge } from './limits.ts';
import { durationMessage, errorMessage, MOST_COLUMNS, NO_RESULT, shorten } from './table.ts';

/** A file of an archive, as the library has it. */
export type Part = { readonly name: string; readonly content: Uint8Array; readonly type: 2 };

/** Stands for a cell without a value: what it has, behind one of these characters, which are for private use. */
const BROKEN = {
  formula: '\u{f5f01}',
  error: '\u{f5f02}',
  boolean: '\u{f5f03}',
  duration: '\u{f5f04}',
  number: '\u{f5f05}',
} as const;

/** Why a cell with such a string has no value; undefined for other strings. */
export function whyBroken(text: string): { readonly why: string; readonly shown?: string } | undefined {
  const [mark, found] = [text.slice(0, 2), shorten(text.slice(2))];
  switch (mark) {
    case BROKEN.formula:
      return { why: NO_RESULT };
    case BROKEN.error:
      return { why: errorMessage(found), shown: found };
    case BROKEN.boolean:
      return { why: `The cell has "${found}" as a boolean.` };
    case BROKEN.number:
      return { why: `The cell has "${found}" as a number.` };
    case BROKEN.duration:
      return { why: durationMessage(found) };
    default:
      return undefined;
  }
}

const READ = /\.(?:xml|rels|bin)$/i;
/** What cells do not need. */
const UNREAD =
  /(?:^|\/)(?:drawings|charts|media|theme|docProps|customXml|printerSettings|externalLinks|pivot\w+|(?:threaded)?comments|ctrlProps|activeX|embeddings|tables|queryTables|slicer\w*|Pictures|Thumbnails|Object [^/]*|Configurations2)\/|sheets\/_rels\/|(?:vbaProject|calcChain|comments)[^/]*$/i;

/** @throws TableError */
export function partsOf(bytes: Uint8Array, limits: TableLimits): Record<string, Part> {
  const isNeeded = (name: string) => READ.test(name) && !UNREAD.test(name);
  const parts: Record<string, Part> = Object.create(null);
  const add = (name: string, content: Uint8Array) => {
    parts[name] = { name, content: inNode(content), type: 2 };
  };
  const unpacked = unpack(bytes, limits, isNeeded);
  const isOds = unpacked.has('content.xml') && !unpacked.has('[Content_Types].xml');
  const manifest = unpacked.get('META-INF/manifest.xml');
  if (isOds && manifest && decoded(manifest).includes('encryption-data')) throw encrypted();
  for (const [name, content] of unpacked) add(name, /\.bin$/i.test(name) ? content : mended(name, content));
  if (!isOds) return parts;
  // The library asks for these files.
  for (const [name, xml] of OF_ODS) if (!parts[name]) add(name, encoder.encode(xml));
  return parts;

  function mended(name: string, content: Uint8Array): Uint8Array {
    const xml = decoded(content);
    requireWhole(xml);
    const text = isOds
      ? name === 'content.xml'
        ? withPlainOds(xml, limits)
        : xml
      : name.endsWith('.rels')
        ? withPlainTargets(name, xml)
        : SHEET.test(xml)
          ? withPlainCells(
              withReturns(
                withWholeTexts(
                  withoutRepeatedCells(withUpperReferences(onlyElement(xml, 'sheetData', false))),
                ),
              ),
              limits,
            )
          : WORKBOOK.test(xml)
            ? onlyElement(xml, 'sheets', true)
            : STYLES.test(xml)
              ? withEastAsianFormats(xml)
              : STRINGS.test(xml)
                ? withReturns(
                    withWholeTexts(within(xml, /<(?:\w+:)?si[\s/>]/g, limits.values, 'shared strings')),
                  )
                : xml;
    return text === xml && !isUtf16(content) ? content : encoder.encode(text);
  }
}

const OF_ODS = [
  ['META-INF/manifest.xml', '<manifest/>'],
  ['styles.xml', '<office:document-styles/>'],
] as const;

/** The relations to sheets without cells, by their ids. */
export function chartRelations(parts: readonly Part[]): ReadonlySet<string> {
  const relations = parts.filter(({ name }) => /(?:^|\/)_rels\/workbook\.[^/]*$/i.test(name));
  const tags = relations.flatMap(({ content }) => [
    ...decoded(content).matchAll(/<(?:\w+:)?Relationship\s[^<>]*>/g),
  ]);
  return new Set(
    tags.flatMap(([tag]) => {
      const isChart =
        /\sType\s*=\s*["'][^"']*\/(?:chartsheet|dialogsheet|xlMacrosheet|xlIntlMacrosheet)["']/i.test(tag);
      return isChart ? [/\sId\s*=\s*["']([^"']*)["']/.exec(tag)?.[1] ?? ''] : [];
    }),
  );
}

/** The library reads with methods of buffers where there are any. */
export function inNode(bytes: Uint8Array): Uint8Array {
  return typeof Buffer === 'undefined'
    ? bytes
    : Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length);
}

const encoder = new TextEncoder();

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** @throws TableError for bytes that are not of the encoding that the part names */
function decoded(bytes: Uint8Array): string {
  const encoding = isUtf16(bytes) ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new TableError(`The workbook is damaged: a part is not ${encoding.toUpperCase()}.`);
  }
}

/** Why a part that ends before its end is not read: its rows would be lost. @throws TableError */
function requireWhole(xml: string): void {
  const root = /<([A-Za-z_][\w.:-]*)[^<>]*>/.exec(xml);
  if (!root || root[0].endsWith('/>')) return;
  const end = xml.lastIndexOf(`</${root[1]}`);
  if (end < 0 || !/^<\/[^<>]*>\s*(?:<!--[^<>]*-->\s*)*$/.test(xml.slice(end, end + 1000)))
    throw new TableError('The workbook is damaged: a part of it breaks off.');
}

/** Relations with `./`, `..` or a leading slash, relative to the folder of their part as far as they are in it. */
function withPlainTargets(name: string, xml: string): string {
  const folder = name.replace(/_rels\/[^/]*$/, '');
  return xml.replaceAll(/\bTarget\s*=\s*(["'])([^"'<>]*)\1/g, (_, quote: string, target: string) => {
    if (/^\w+:/.test(target)) return `Target=${quote}${target}${quote}`;
    const path: string[] = [];
    const whole = target.startsWith('/') ? target : folder + target;
    for (const part of whole.replaceAll('\\', '/').split('/')) {
      if (part === '..') path.pop();
      else if (part !== '' && part !== '.') path.push(part);
    }
    const resolved = path.join('/');
    const plain = resolved.startsWith(folder) ? resolved.slice(folder.length) : resolved;
    return `Target=${quote}${plain}${quote}`;
  });
}

const SHEET = /<(?:\w+:)?sheetData[\s/>]/;
const WORKBOOK = /<(?:\w+:)?workbook[\s>]/;
const STRINGS = /<(?:\w+:)?sst[\s>]/;
const STYLES = /<(?:\w+:)?styleSheet[\s>]/;

/** A part with only one of its elements, which has all that cells need, and perhaps what is before it: links of a range could be any number. */
function onlyElement(xml: string, name: string, withBefore: boolean): string {
  const [open, prefix = ''] = new RegExp(`<(\\w+:)?${name}(?=[\\s/>])[^<>]*>`).exec(xml) ?? [];
  const [root = ''] = /<[A-Za-z_][^<>]*>/.exec(xml) ?? [];
  if (open === undefined || root === open) return xml;
  const start = xml.indexOf(open);
  const close = `</${prefix}${name}>`;
  const last = xml.lastIndexOf(close);
  const end = open.endsWith('/>') ? start + open.length : last + close.length;
  if (last < 0 && !open.endsWith('/>'))
    throw new TableError('The workbook is damaged: a part of it breaks off.');
  const before = withBefore ? xml.slice(0, start) : root;
  return `${before}${xml.slice(start, end)}</${/^<([^\s>]+)/.exec(root)?.[1]}>`;
}

/** Formats of East Asian versions (ECMA-376 part 1, 18.8.30) that a file need not define. In some languages, four of them are times, in others dates. */
const EAST_ASIAN: readonly (readonly [ids: readonly number[], format: string])[] = [
  [[27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58], 'yyyy-mm-dd'],
  [[32, 33], 'h:mm:ss'],
  [[34, 35, 55, 56], 'yyyy-mm-dd h:mm:ss'],
];

/** Excel has some 200. */
const MOST_FORMATS = 10_000;

function withEastAsianFormats(xml: string): string {
  within(xml, /<(?:\w+:)?numFmt\s/g, MOST_FORMATS, 'formats of numbers');
  const defined = new Set(
    [...xml.matchAll(/<(?:\w+:)?numFmt\s[^<>]*\bnumFmtId="(\d+)"/g)].map(([, id]) => id),
  );
  const missing = EAST_ASIAN.flatMap(([ids, format]) =>
    ids
      .filter((id) => !defined.has(String(id)) && xml.includes(`numFmtId="${id}"`))
      .map((id) => [id, format]),
  );
  if (missing.length === 0) return xml;
  const [, prefix = ''] = /<(\w+:)?styleSheet[\s>]/.exec(xml) ?? [];
  const added = missing
    .map(([id, format]) => `<${prefix}numFmt numFmtId="${id}" formatCode="${format}"/>`)
    .join('');
  const list = `<${prefix}numFmts`;
  const at = xml.indexOf(list);
  if (at >= 0 && !/^[^<>]*\/>/.test(xml.slice(at, at + 200))) {
    const end = xml.indexOf('>', at) + 1;
    return xml.slice(0, end) + added + xml.slice(end);
  }
  const end = xml.indexOf('>', xml.indexOf(`<${prefix}styleSheet`)) + 1;
  return `${xml.slice(0, end)}${list}>${added}</${prefix}numFmts>${xml.slice(end)}`;
}

/** A string before the runs of a cell with formats is a part of it (18.4.8). */
function withWholeTexts(xml: string): string {
  return xml.replaceAll(
    /(<(?:\w+:)?(?:si|is)>\s*)(<((?:\w+:)?)t(?:\s[^<>]*)?>[^<]*<\/(?:\w+:)?t>)(?=\s*<(?:\w+:)?r>)/g,
    '$1<$3r>$2</$3r>',
  );
}

/**
 * The library decodes `_x000D_`, and takes a return before a line end for one of the XML: the text would lose it. Such a line end
 * gets one that is lost instead.
 */
function withReturns(xml: string): string {
  return xml.replaceAll(/(?<=_x000D_|&#(?:0*13|x0*D);)(?=\n|_x000A_|&#(?:0*10|x0*A);)/gi, '\r');
}

const CELL = /<((?:\w+:)?)c(?=[\s>])([^<>]*[^<>/])?>/g;
const MAY_CHANGE =
  /\st\s*=\s*["'][bde]["']|<(?:\w+:)?f[\s/>]|>-?\d{16,}<|&(?:amp|#0*38|#x0*26);|<(?:\w+:)?v(?:\s[^<>]*)?>[^<]*[^-+\d.eE\s<]/;
const BOOLEANS: ReadonlySet<string> = new Set(['0', '1', 'true', 'false']);

const AMPERSAND = /&(?:amp|#0*38|#x0*26);/gi;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
/** An integer that a double may not have: some programs write all of its digits. */
const LONG_INTEGER = /^-?[1-9]\d{15,}$/;

/** A sheet whose dates of ISO 8601 and long integers are texts, and whose cells without a value have the reason. */
function withPlainCells(xml: string, { values }: TableLimits): string {
  // Other sheets than the one that is read may have more; cells without content are not counted.
  within(xml, CELL, 2 * values, 'values');
  if (!MAY_CHANGE.test(xml)) return xml;
  let isWhole = true;
  return replaced(xml, CELL, (_, [, prefix = '', attributes = ''], rest) => {
    const close = `</${prefix}c>`;
    const end = isWhole ? xml.indexOf(close, rest) : -1;
    // It is searched for once: every further cell is open, too.
    if (end < 0) isWhole = false;
    const type = /\st\s*=\s*["'](\w+)["']/.exec(attributes)?.[1] ?? 'n';
    const content = end < 0 ? '' : xml.slice(rest, end);
    const value = /<(?:\w+:)?v(?:\s[^<>]*)?>([^<]*)<\/(?:\w+:)?v>/.exec(content)?.[1]?.trim() ?? '';
    const text = plainText(type, value, content.includes(`<${prefix}f`));
    if (text === undefined) return undefined;
    const others = attributes.replace(/\st\s*=\s*["']\w+["']/, '');
    return [`<${prefix}c${others} t="str"><${prefix}v>${text}</${prefix}v>${close}`, end + close.length];
  });
}

function plainText(type: string, value: string, isFormula: boolean): string | undefined {
  if (value === '' && isFormula && type !== 'str' && type !== 'inlineStr') return BROKEN.formula;
  // The library takes it for false.
  if (value === '') return type === 'b' ? '' : undefined;
  if (type === 'd') return isoText(value);
  if (type === 'n') return plainNumber(value);
  if (type === 'e') return BROKEN.error + value;
  if (type === 'str') return encodedTwice(value);
  return type === 'b' && !BOOLEANS.has(value) ? BROKEN.boolean + shorten(value) : undefined;
}

/** The library decodes the text of a formula twice. */
function encodedTwice(value: string): string | undefined {
  const text = value.replaceAll(AMPERSAND, '&amp;amp;');
  return text === value ? undefined : text;
}

/** The library would take the digits before a comma, and round long integers. */
function plainNumber(value: string): string | undefined {
  if (!NUMBER.test(value)) return BROKEN.number + value;
  return LONG_INTEGER.test(value) && String(Number(value)) !== value ? value : undefined;
}

const ODS_CELL = /<(?:\w+:)?(table-row|table-cell)(?=[\s/>])([^<>]*)>/g;
/** Blanks that elements stand for, and cells that stand for several: a small file could have any number. */
const MOST_REPEATED = 20_000_000;

/** The content of an OpenDocument spreadsheet whose dates and times are texts, and whose cells without a value have the reason. */
function withPlainOds(xml: string, { values, characters }: TableLimits): string {
  let blanks = 0;
  for (const [, count] of xml.matchAll(/<text:s\s[^<>]*\btext:c\s*=\s*"(\d+)"/g)) blanks += Number(count);
  const mostBlanks = Math.min(characters, MOST_REPEATED);
  if (blanks > mostBlanks) throw new TableTooLarge(`A sheet has more than ${mostBlanks} repeated blanks.`);
  const mostCells = Math.min(values, MOST_REPEATED);
  let cells = 0;
  let rows = 1;
  // What is below a merged cell is read, too.
  const shown = xml.replaceAll('covered-table-cell', 'table-cell');
  return replaced(shown, ODS_CELL, (tag, [, name, attributes = ''], rest) => {
    const attribute = (local: string) =>
      new RegExp(`\\s[\\w-]+:${local}\\s*=\\s*"([^"]*)"`).exec(attributes)?.[1];
    if (name === 'table-row') {
      rows = Number(attribute('number-rows-repeated') ?? 1);
      return undefined;
    }
    const type = attribute('value-type');
    const isFormula = attribute('formula') !== undefined;
    if (name !== 'table-cell' || (type === undefined && !isFormula)) return undefined;
    const columns = Number(attribute('number-columns-repeated') ?? 1);
    if (columns > MOST_COLUMNS) throw new TableError('A sheet has too many columns.');
    // The library would make them all before they are counted.
    if (rows > MOST_ROWS) throw new TableError(`The file has more than ${MOST_ROWS} rows.`);
    cells += rows * columns;
    if (cells > mostCells) throw new TableTooLarge(`The table has more than ${mostCells} values.`);
    const text = plainOdsText(attribute, type, () => textAt(shown, rest));
    if (text === undefined) return undefined;
    const others = attributes.replaceAll(/\s[\w-]+:(?:value-type|string-value)\s*=\s*"[^"]*"/g, '');
    return [
      tag.replace(attributes, ` office:value-type="string" office:string-value="${text}"${others}`),
      rest,
    ];
  });
}

function plainOdsText(
  attribute: (local: string) => string | undefined,
  type: string | undefined,
  shown: () => string,
): string | undefined {
  // Errors of formulas are strings, which another attribute marks.
  if (/\berror\b/.test(attribute('value-type') === type ? (type ?? '') : '')) return BROKEN.error + shown();
  if (type === undefined) return BROKEN.formula;
  if (type === 'date') return isoText(attribute('date-value') ?? '');
  if (type === 'time') return clockText(attribute('time-value') ?? '');
  if (type === 'float' || type === 'percentage' || type === 'currency')
    return plainNumber(attribute('value') ?? shown());
  return undefined;
}

/** The text of the first paragraph behind a position, as XML. */
function textAt(xml: string, at: number): string {
  return /^\s*<text:p[^<>]*>([^<]*)/.exec(xml.slice(at, at + 1000))?.[1] ?? '#VALUE!';
}

/** A duration of ISO 8601 as the clock of a day. */
function clockText(duration: string): string {
  const found =
    /^P(?:0+D)?T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?$/.exec(duration) ??
    (/^P0+D$/.test(duration) ? [] : undefined);
  if (!found) return BROKEN.duration + duration;
  const [, hours = '0', minutes = '0', seconds = '0'] = found;
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'));
  const milliseconds = Math.round(whole * 1000);
  if (milliseconds >= 86_400_000) return BROKEN.duration + duration;
  return new Date(milliseconds)
    .toISOString()
    .replace(/^.*T/, '')
    .replace(/(?:\.000)?Z$/, '');
}

/** A date of ISO 8601, rounded to milliseconds: programs write noise behind them. A day at midnight has no time. */
function isoText(iso: string): string {
  const [, day = '', clock, zone = ''] =
    /^(?:(\d{4}-\d\d-\d\d)T?)?(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/.exec(iso) ?? [];
  if (clock === undefined) return iso;
  const [minutes = '', seconds = '0'] = [clock.slice(0, 5), clock.slice(6) || '0'];
  const start = Date.parse(`${day || '1970-01-01'}T${minutes}:00.000Z`);
  const rounded = new Date(start + Math.round(Number(seconds) * 1000));
  if (Number.isNaN(rounded.getTime())) return iso;
  const [date, time = ''] = rounded
    .toISOString()
    .replace(/(?:\.000)?Z$/, '')
    .split('T');
  if (day === '') return time + zone;
  return time === '00:00:00' && zone === '' ? date! : `${date}T${time}${zone}`;
}

/** Returns the string unless it has more matches than `most`: the library makes an object of each. @throws TableTooLarge */
function within(xml: string, pattern: RegExp, most: number, what: string): string {
  let count = 0;
  for (const _ of most < xml.length ? xml.matchAll(pattern) : []) {
    count += 1;
    if (count > most) throw new TableTooLarge(`The workbook has more than ${most} ${what}.`);
  }
  return xml;
}

/** Replaces what is at matches, up to a position behind them. */
function replaced(
  text: string,
  pattern: RegExp,
  replace: (found: string, groups: RegExpExecArray, rest: number) => [string, end: number] | undefined,
): string {
  const pieces: string[] = [];
  let copied = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index < copied) continue;
    const replacement = replace(match[0], match, match.index + match[0].length);
    if (!replacement) continue;
    pieces.push(text.slice(copied, match.index), replacement[0]);
    copied = replacement[1];
  }
  return copied === 0 ? text : pieces.join('') + text.slice(copied);
}
