/** Generated types: real records have them, and what a record is not, the compiler refuses. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { typescriptTypes } from '#linkml/generate/typescript.ts';
import { openElements } from '../support/open-text.ts';
import { type Sample, type SampleSchema, sampleSchemas } from './schemas.ts';

const folder = mkdtempSync(join(tmpdir(), 'accession-types-'));
after(() => rmSync(folder, { recursive: true }));

/** What the compiler reports of the files of a folder, in its strict mode. */
function compile(files: Readonly<Record<string, string>>): string {
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  const compiler = resolve(import.meta.dirname, '../../node_modules/.bin/tsc');
  const flags = ['--ignoreConfig', '--strict', '--noEmit', '--target', 'esnext', '--module', 'esnext'];
  return spawnSync(compiler, [...flags, '--moduleResolution', 'bundler', ...paths], { encoding: 'utf8' })
    .stdout;
}

/** A program that gives each record the type of its class, and each mutant, too, which must be an error. */
function program({ name, schema, valid }: SampleSchema): string {
  const typed = ({ className, record }: Sample, index: number) => {
    const type = `types.${className}`;
    const required = schema.classes.get(className)!.identifier?.name;
    const { [required ?? '']: _, ...without } = record;
    const lines = [`export const r${index}: ${type} = ${JSON.stringify(record)};`];
    if (!schema.classes.get(className)!.extraSlots.allowed)
      lines.push(
        `// @ts-expect-error: not a slot\nexport const s${index}: ${type} = ${JSON.stringify({ ...record, 'no such slot': 1 })};`,
      );
    if (required !== undefined)
      lines.push(
        `// @ts-expect-error: no identifier\nexport const t${index}: ${type} = ${JSON.stringify(without)};`,
      );
    return lines.join('\n');
  };
  return `import type * as types from './${name}';\n${valid.map(typed).join('\n')}\n`;
}

test('records of all schemas have the types of their classes, with tsc --strict', async () => {
  const all = await sampleSchemas(60);
  const files = Object.fromEntries(
    all.flatMap((one) => [
      [`${one.name}.ts`, typescriptTypes(one.schema)],
      [`${one.name}.records.ts`, program(one)],
    ]),
  );
  assert.equal(compile(files), '');
});

test('what a schema says of a slot is in its type', async () => {
  const schema = await openElements(`
enums:
  Kind: {permissible_values: {one: {}, "it's": {}}}
  Open: {reachable_from: {source_ontology: obo:x}}
types:
  Code: {union_of: [integer, string]}
classes:
  Any: {class_uri: linkml:Any}
  Base: {abstract: true, attributes: {id: {identifier: true}, type: {designates_type: true}, n: {range: integer}}}
  Leaf: {is_a: Base, slot_usage: {n: {required: true}}, attributes: {leaf: {range: Base, inlined: true}}}
  Twig: {is_a: Base, mixins: [Long], attributes: {leaf: {range: Base}}}
  Long: {mixin: true, attributes: {length: {range: decimal}, n: {range: float}}}
  Entry: {attributes: {tag: {key: true}, text: {}, more: {}}}
  omit: {attributes: {'x y': {}}}
  Free: {extra_slots: {allowed: true}, attributes: {a: {}}}
  All:
    attributes:
      kind: {range: Kind, multivalued: true}
      open: {range: Open}
      code: {range: Code}
      any: {range: Any}
      map: {range: Entry, multivalued: true, inlined: true}
      base: {range: Base, inlined: true, multivalued: true, inlined_as_list: true}
      fixed: {equals_string_in: [a, b]}
      absent: {value_presence: ABSENT}
      either: {any_of: [{range: integer}, {range: Kind}]}
      word: {range: string, description: "Not a comment */ export"}
`);
  const text = typescriptTypes(schema);
  for (const line of [
    "export type Kind = 'one' | 'it\\'s';",
    "export interface Leaf extends Omit<Base, 'type' | 'n'> {",
    'n: number;',
    'leaf?: AnyBase;',
    "export interface Twig extends Omit<Base, 'type'>, Long {",
    'export interface Omit_ {\n  x_y?: string;',
    'a?: string;\n  [slot: string]: unknown;',
    'kind?: Kind[];',
    'code?: number | string;',
    'any?: unknown;',
    'map?: { [key: string]: Entry };',
    'base?: AnyBase[];',
    "fixed?: 'a' | 'b';",
    'absent?: never;',
    'either?: Kind | number;',
    'export type AnyBase =\n  | Leaf\n  | Twig;',
    'Base: AnyBase;\n  Leaf: Leaf;',
    '  Omit: Omit_;',
  ])
    assert.ok(text.includes(line), `${line}\n${text}`);
  assert.equal(compile({ 'all.ts': text }), '');
});
