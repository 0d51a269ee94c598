/** Documents of each media type that are as long as is asked for, and made to be expensive. */
import { strToU8, zipSync } from 'fflate';
import type { Schema, Values } from './values.ts';

/** A document by its size in bytes. */
export type Shape = { readonly name: string; make(bytes: number): string | Buffer };

const fill = (bytes: number, text: string) => text.repeat(Math.max(1, Math.floor(bytes / text.length)));
const count = (bytes: number, make: (at: number) => string, each: number) =>
  Array.from({ length: Math.ceil(bytes / each) }, (_, at) => make(at)).join('');

/** Any JSON. */
const JSON_SHAPES: readonly Shape[] = [
  { name: 'one string', make: (n) => `"${'x'.repeat(n)}"` },
  { name: 'escapes', make: (n) => `"${fill(n, '\\u0041')}"` },
  { name: 'numbers', make: (n) => `[${fill(n, '1.50,')}1]` },
  { name: 'one number', make: (n) => `[${'9'.repeat(n)}]` },
  { name: 'keys', make: (n) => `{${count(n, (at) => `"k${at}":1,`, 11)}"k":1}` },
  { name: 'one key many times', make: (n) => `{${fill(n, '"k":1,')}"k":1}` },
  { name: 'objects', make: (n) => `[${fill(n, '{},')}{}]` },
  { name: 'brackets', make: (n) => '['.repeat(n) },
  { name: 'nested', make: (n) => `${'['.repeat(n / 2)}${']'.repeat(n / 2)}` },
  { name: 'nested keys', make: (n) => fill(n, '{"a":') },
  { name: 'blanks', make: (n) => `${' '.repeat(n)}{}` },
  { name: 'ends in a string', make: (n) => `{"a":"${'\\"'.repeat(n / 2)}` },
];

const TURTLE_HEAD =
  '@prefix labid: <https://example.org/laboratory/id/> .\n@prefix schema: <http://schema.org/> .\n';
const PERSON = 'labid:x a schema:Person ; schema:familyName "x" ; schema:name ';
const TURTLE_SHAPES: readonly Shape[] = [
  { name: 'one string', make: (n) => `${TURTLE_HEAD}${PERSON}"${'x'.repeat(n)}" .` },
  { name: 'values', make: (n) => `${TURTLE_HEAD}${PERSON}${count(n, (at) => `"v${at}", `, 11)}"x" .` },
  { name: 'subjects', make: (n) => TURTLE_HEAD + count(n, (at) => `labid:x${at} a schema:Person .\n`, 30) },
  {
    name: 'blank nodes',
    make: (n) => TURTLE_HEAD + count(n, (at) => `_:b${at} schema:name _:b${at + 1} .\n`, 28),
  },
  { name: 'nested nodes', make: (n) => `${TURTLE_HEAD}labid:x schema:name ${fill(n, '[ schema:name ')}` },
  {
    name: 'lists',
    make: (n) => `${TURTLE_HEAD}labid:x schema:name ${'('.repeat(n / 2)}${')'.repeat(n / 2)} .`,
  },
  { name: 'a list', make: (n) => `${TURTLE_HEAD}labid:x schema:name (${fill(n, '1 ')}) .` },
  { name: 'prefixes', make: (n) => count(n, (at) => `@prefix p${at}: <https://example.org/${at}> .\n`, 45) },
  {
    name: 'a long prefix',
    make: (n) => `@prefix p: <https://example.org/${'x'.repeat(n / 2)}> .\n${fill(n / 2, 'p:a p:b p:c .\n')}`,
  },
  { name: 'an IRI', make: (n) => `<https://example.org/${'x'.repeat(n)}> a <http://schema.org/Person> .` },
  { name: 'comments', make: (n) => fill(n, '# x\n') },
  { name: 'an open string', make: (n) => `${TURTLE_HEAD}${PERSON}"""${'"" '.repeat(n / 3)}` },
];

const CONTEXT = '"@context":{"labid":"https://example.org/laboratory/id/","schema":"http://schema.org/"}';
const JSON_LD_HEAD = `{${CONTEXT},"@id":"labid:x","@type":"schema:Person","schema:name":`;
const JSON_LD_SHAPES: readonly Shape[] = [
  { name: 'one string', make: (n) => `${JSON_LD_HEAD}"${'x'.repeat(n)}"}` },
  { name: 'values', make: (n) => `${JSON_LD_HEAD}[${count(n, (at) => `"v${at}",`, 10)}"x"]}` },
  { name: 'references', make: (n) => `${JSON_LD_HEAD}[${count(n, (at) => `{"@id":"labid:${at}"},`, 22)}1]}` },
  {
    name: 'subjects',
    make: (n) => `{${CONTEXT},"@graph":[${count(n, (at) => `{"@id":"labid:${at}"},`, 22)}{}]}`,
  },
  { name: 'nested nodes', make: (n) => `${JSON_LD_HEAD}${fill(n, '{"schema:name":')}` },
  {
    name: 'closed nested nodes',
    make: (n) => `${JSON_LD_HEAD}${fill(n / 2, '{"schema:name":')}1${'}'.repeat(n / 30)}}`,
  },
  { name: 'lists', make: (n) => `${JSON_LD_HEAD}{"@list":[${fill(n, '1,')}1]}}` },
  {
    name: 'a long context',
    make: (n) => `{"@context":{${count(n, (at) => `"p${at}":"x:${at}/",`, 18)}"q":"x:q"},"p1":1}`,
  },
  {
    name: 'a chain of prefixes',
    make: (n) =>
      `{"@context":{"p0":"x:0",${count(n, (at) => `"p${at + 1}":"p${at}:x",`, 18)}"q":"x:q"},"q":1}`,
  },
  {
    name: 'contexts in nodes',
    make: (n) => `${JSON_LD_HEAD}[${fill(n, '{"@context":{"a":"x:a"},"a":1},')}1]}`,
  },
  {
    name: 'reverse',
    make: (n) => `${JSON_LD_HEAD}{"@reverse":{"schema:name":[${fill(n, '{"@id":"labid:y"},')}{}]}}}`,
  },
  { name: 'brackets', make: (n) => `${JSON_LD_HEAD}${'['.repeat(n)}` },
];

const STATEMENT = '<https://example.org/laboratory/id/x> <http://schema.org/name> ';
const N_QUADS_SHAPES: readonly Shape[] = [
  { name: 'one string', make: (n) => `${STATEMENT}"${'x'.repeat(n)}" .\n` },
  { name: 'values', make: (n) => count(n, (at) => `${STATEMENT}"v${at}" .\n`, 74) },
  { name: 'graphs', make: (n) => count(n, (at) => `${STATEMENT}"v" <https://example.org/g${at}> .\n`, 100) },
  {
    name: 'blank nodes',
    make: (n) => count(n, (at) => `_:b${at} <http://schema.org/name> _:b${at + 1} .\n`, 45),
  },
  { name: 'an IRI', make: (n) => `<https://example.org/${'x'.repeat(n)}> <http://schema.org/name> "x" .\n` },
  { name: 'escapes', make: (n) => `${STATEMENT}"${fill(n, '\\u0041')}" .\n` },
  { name: 'comments', make: (n) => fill(n, '# x\n') },
  { name: 'an open string', make: (n) => `${STATEMENT}"${'x '.repeat(n / 2)}` },
];

const FORM_SHAPES: readonly Shape[] = [
  { name: 'one value', make: (n) => `verb=Identify&identifier=${'x'.repeat(n)}` },
  { name: 'arguments', make: (n) => count(n, (at) => `a${at}=1&`, 8) },
  { name: 'escapes', make: (n) => `verb=${fill(n, '%41')}` },
  { name: 'a token', make: (n) => `verb=ListRecords&resumptionToken=${'x'.repeat(n)}` },
];

const line = (at: number) =>
  `{"pid":"labid:x${at}","name":"x","family_name":"x","schema_type":"schema:Person"}\n`;
const NDJSON_SHAPES: readonly Shape[] = [
  { name: 'lines', make: (n) => count(n, line, 85) },
  { name: 'wrong lines', make: (n) => count(n, (at) => `{"no${at}":1}\n`, 15) },
  { name: 'empty lines', make: (n) => '\n'.repeat(n) },
  { name: 'empty objects', make: (n) => fill(n, '{}\n') },
  { name: 'one line', make: (n) => `{"pid":"labid:x","name":"${'x'.repeat(n)}"}` },
  {
    name: 'long lines',
    make: (n) => fill(n, `{"pid":"labid:x","family_name":"x","name":"${'x'.repeat(100_000)}"}\n`),
  },
  { name: 'an array', make: (n) => `[${count(n, line, 85).trimEnd().replaceAll('\n', ',')}]` },
  { name: 'brackets', make: (n) => `[${'['.repeat(n)}` },
];

const CSV_SHAPES: readonly Shape[] = [
  { name: 'rows', make: (n) => `pid,name,family_name\n${count(n, (at) => `labid:x${at},x,x\n`, 18)}` },
  { name: 'wrong rows', make: (n) => `pid,name,age\n${fill(n, 'x,y,z\n')}` },
  { name: 'columns', make: (n) => `${count(n, (at) => `c${at},`, 7)}pid\n1\n` },
  { name: 'empty columns', make: (n) => `${','.repeat(n)}\n` },
  { name: 'one cell', make: (n) => `pid,name\nlabid:x,${'x'.repeat(n)}\n` },
  { name: 'blanks in a header', make: (n) => `x${' '.repeat(n)}y\n1\n` },
  { name: 'quotes', make: (n) => `pid,name\nlabid:x,"${'""'.repeat(n / 2)}"\n` },
  { name: 'an open quote', make: (n) => `pid,name\n${fill(n, '"a\n')}` },
  { name: 'values in a cell', make: (n) => `pid,name,affiliations\nlabid:x,x,${fill(n, 'labid:y|')}\n` },
  { name: 'backslashes', make: (n) => `pid,name\nlabid:x,${'\\'.repeat(n)}\n` },
  {
    name: 'labels',
    make: (n) => `pid,name,family_name,affiliations\n${count(n, (at) => `labid:x${at},x,x,y${at}\n`, 24)}`,
  },
];

const xlsx = (sheet: string, strings = '') =>
  Buffer.from(
    zipSync({
      'xl/workbook.xml': strToU8('<workbook><sheets><sheet name="Person" r:id="r1"/></sheets></workbook>'),
      'xl/_rels/workbook.xml.rels': strToU8(
        '<Relationships><Relationship Id="r1" Target="s.xml"/></Relationships>',
      ),
      'xl/sharedStrings.xml': strToU8(`<sst>${strings}</sst>`),
      'xl/s.xml': strToU8(`<sheetData>${sheet}`),
    }),
  );
/** By their unpacked size. */
const XLSX_SHAPES: readonly Shape[] = [
  { name: 'rows', make: (n) => xlsx(fill(n, '<row><c t="inlineStr"><is><t>x</t></is></c></row>')) },
  { name: 'blanks', make: (n) => xlsx(' '.repeat(n)) },
  { name: 'attributes', make: (n) => xlsx(`<row ${'a'.repeat(n)}>`) },
  { name: 'tags', make: (n) => xlsx('<row>'.repeat(n / 5)) },
  { name: 'strings', make: (n) => xlsx('', fill(n, '<si><t>x</t></si>')) },
  {
    name: 'one string in all cells',
    make: (n) =>
      xlsx(fill(n / 2, '<row><c t="s"><v>0</v></c></row>'), `<si><t>${'x'.repeat(n / 2)}</t></si>`),
  },
  { name: 'no archive', make: (n) => Buffer.from(`PK${'x'.repeat(n)}`) },
];

const ods = (content: string) =>
  Buffer.from(
    zipSync({
      'content.xml': strToU8(`<office:document-content><office:body><office:spreadsheet>${content}`),
    }),
  );
const ODS_TABLE = '<table:table table:name="Person">';
const ODS_CELL = '<table:table-cell><text:p>x</text:p></table:table-cell>';
const ODS_ROW = `<table:table-row>${ODS_CELL}</table:table-row>`;
/** By their unpacked size. */
const ODS_SHAPES: readonly Shape[] = [
  { name: 'rows', make: (n) => ods(ODS_TABLE + fill(n, ODS_ROW)) },
  { name: 'cells', make: (n) => ods(`${ODS_TABLE}<table:table-row>${fill(n, ODS_CELL)}</table:table-row>`) },
  { name: 'sheets', make: (n) => ods(fill(n, `${ODS_TABLE}${ODS_ROW}</table:table>`)) },
  {
    name: 'repeated rows',
    make: (n) => ods(ODS_TABLE + fill(n, ODS_ROW.replace('row>', 'row table:number-rows-repeated="9999">'))),
  },
  {
    name: 'repeated cells',
    make: (n) =>
      ods(ODS_TABLE + fill(n, ODS_ROW.replace('cell>', 'cell table:number-columns-repeated="9999">'))),
  },
  {
    name: 'paragraphs',
    make: (n) => ods(`${ODS_TABLE}<table:table-row><table:table-cell>${fill(n, '<text:p>x</text:p>')}`),
  },
  { name: 'blanks', make: (n) => ods(' '.repeat(n)) },
  { name: 'attributes', make: (n) => ods(`<table:table ${'a'.repeat(n)}>`) },
  { name: 'tags', make: (n) => ods('<table:table-row>'.repeat(n / 17)) },
  { name: 'no archive', make: (n) => Buffer.from(`PK${'x'.repeat(n)}`) },
];

const MULTIPART_SHAPES: readonly Shape[] = [
  { name: 'parts', make: (n) => fill(n, '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\nx\r\n') },
  { name: 'boundaries', make: (n) => fill(n, '--b\r\n') },
  { name: 'dashes', make: (n) => `--b${'\r\n--'.repeat(n / 4)}` },
];

/** YAML, in which schemas are written. */
export const YAML_SHAPES: readonly Shape[] = [
  { name: 'keys', make: (n) => count(n, (at) => `k${at}: 1\n`, 10) },
  { name: 'items', make: (n) => fill(n, '- a\n') },
  { name: 'merge keys', make: (n) => `x: &x {a: 1}\n${count(n, (at) => `y${at}: {<<: *x, b: 1}\n`, 24)}` },
  { name: 'aliases', make: (n) => `x: &x {a: 1}\n${count(n, (at) => `y${at}: *x\n`, 11)}` },
  { name: 'anchors', make: (n) => count(n, (at) => `y${at}: &a${at} 1\n`, 15) },
  { name: 'brackets', make: (n) => '['.repeat(n) },
  { name: 'a string', make: (n) => `a: "${'x'.repeat(n)}"` },
  { name: 'a block', make: (n) => `a: |\n${fill(n, '  x\n')}` },
  { name: 'comments', make: (n) => fill(n, '# x\n') },
  { name: 'classes', make: (n) => SCHEMA_HEAD + count(n, (at) => `  C${at}: {is_a: Thing}\n`, 24) },
  {
    name: 'a chain of classes',
    make: (n) => SCHEMA_HEAD + count(n, (at) => `  C${at}: {is_a: ${at ? `C${at - 1}` : 'Thing'}}\n`, 24),
  },
  {
    name: 'unknown parents',
    make: (n) => SCHEMA_HEAD + count(n, (at) => `  C${at}: {is_a: Thang${at}}\n`, 26),
  },
  {
    name: 'unknown slots',
    make: (n) =>
      `${SCHEMA_HEAD}${count(n / 2, (at) => `  C${at}: {slots: [no_slot_${at}]}\n`, 32)}slots:\n${count(n / 2, (at) => `  a_slot_${at}: {}\n`, 20)}`,
  },
  { name: 'unknown keys', make: (n) => SCHEMA_HEAD + count(n, (at) => `  C${at}: {no_key_${at}: 1}\n`, 26) },
  {
    name: 'attributes',
    make: (n) => `${SCHEMA_HEAD}  C:\n    attributes:\n${count(n, (at) => `      a${at}: {}\n`, 16)}`,
  },
];
const SCHEMA_HEAD =
  'id: https://example.org/s\nname: s\nprefixes: {linkml: https://w3id.org/linkml/}\ndefault_range: string\n' +
  'types: {string: {base: str, uri: "linkml:String"}}\nclasses:\n  Thing: {attributes: {pid: {identifier: true}}}\n';

const BY_TYPE: Readonly<Record<string, readonly Shape[]>> = {
  'application/json': JSON_SHAPES,
  'application/x-ndjson': NDJSON_SHAPES,
  'text/turtle': TURTLE_SHAPES,
  'application/ld+json': JSON_LD_SHAPES,
  'application/n-quads': N_QUADS_SHAPES,
  'application/x-www-form-urlencoded': FORM_SHAPES,
  'text/csv': CSV_SHAPES,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': XLSX_SHAPES,
  'application/vnd.oasis.opendocument.spreadsheet': ODS_SHAPES,
  'multipart/form-data': MULTIPART_SHAPES,
};

/** The shapes of a media type, and those of a schema that a JSON body has. A media type without shapes needs some. */
export function shapesOf(mediaType: string, schema: Schema, values: Values): Shape[] {
  const shapes = BY_TYPE[mediaType];
  if (!shapes) throw new Error(`There are no expensive documents of the media type ${mediaType}: add some.`);
  if (mediaType !== 'application/json') return [...shapes];
  const grown = values.grown(schema).map(({ name, make }): Shape => {
    return { name, make: (bytes) => JSON.stringify(make(bytes)) };
  });
  // The text of a schema.
  const yaml = (values.resolved(schema).properties?.schema?.description ?? '').includes('YAML')
    ? YAML_SHAPES
    : [];
  const schemas = yaml.map(({ name, make }): Shape => {
    return { name: `YAML of ${name}`, make: (bytes) => JSON.stringify({ schema: make(bytes) }) };
  });
  return [...shapes, ...grown, ...schemas];
}

/** Long values of a query parameter or a segment of a path. */
export const TEXTS: readonly Shape[] = [
  { name: 'letters', make: (n) => 'x'.repeat(n) },
  { name: 'words', make: (n) => fill(n, 'ab ') },
  { name: 'different words', make: (n) => count(n, (at) => `w${at} `, 6) },
  { name: 'percents', make: (n) => '%'.repeat(n) },
  { name: 'wildcards', make: (n) => fill(n, '%a_') },
  { name: 'commas', make: (n) => ','.repeat(n) },
  { name: 'list', make: (n) => count(n, (at) => `w${at},`, 6) },
  { name: 'digits', make: (n) => '1'.repeat(n) },
  { name: 'slashes', make: (n) => '/'.repeat(n) },
  { name: 'colons', make: (n) => `labid${':'.repeat(n)}` },
  { name: 'quotes', make: (n) => '"'.repeat(n) },
];
