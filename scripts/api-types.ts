/**
 * The types of requests and responses, written out: `api-types.ts` of `src/http` and of modules read them from the schemas of endpoints, whose files
 * mention types of Node and of other packages. Clients get what is here, so they need none of those.
 */
import { globSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  API,
  type Checker,
  type Project,
  SymbolFlags,
  type Type,
  TypeFlags,
  type TypeReference,
} from 'typescript/unstable/sync';

const root = resolve(import.meta.dirname, '..');
/** They are declared in a file without others, and refer to themselves. */
const JSON_TYPES = ['Json', 'JsonObject'];

/** Replaces the types of `http/api-types.ts`, and of `api-types.ts` of each module, in a folder with declarations. */
export function writeApiTypes(dist: string): void {
  const api = new API({ cwd: root });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.build.json')] });
    const [{ checker, program }] = snapshot.getProjects() as [Project];
    const files = ['core/http/api-types', ...globSync('modules/*/api-types.ts', { cwd: join(root, 'src') })];
    const json = namesOf(program.getSourceFile(join(root, 'src/core/shapes.ts'))!, checker, JSON_TYPES);
    for (const file of files.map((name) => name.replace(/\.ts$/, ''))) {
      const source = program.getSourceFile(join(root, `src/${file}.ts`));
      if (source) writeFileSync(join(dist, `${file}.d.ts`), declarationsOf(source, json, checker, file));
    }
  } finally {
    api.close();
  }
}

type SourceFile = NonNullable<ReturnType<Project['program']['getSourceFile']>>;

/** The names of some types that a file exports, by their id. */
function namesOf(source: SourceFile, checker: Checker, names: readonly string[]): Map<number, string> {
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!);
  return new Map(
    symbols
      .filter(({ name }) => names.includes(name))
      .map((symbol) => [checker.getDeclaredTypeOfSymbol(symbol).id, symbol.name]),
  );
}

function declarationsOf(
  source: SourceFile,
  jsonTypes: ReadonlyMap<number, string>,
  checker: Checker,
  file: string,
): string {
  const symbols = checker
    .getExportsOfModule(checker.getSymbolAtLocation(source)!)
    .map((symbol) => ({ symbol, type: checker.getDeclaredTypeOfSymbol(symbol) }));
  const names = new Map([
    ...jsonTypes,
    ...symbols.map(({ symbol, type }) => [type.id, symbol.name] as const),
  ]);
  const declarations = symbols
    .filter(({ symbol }) => !JSON_TYPES.includes(symbol.name))
    .map(({ symbol, type }) => {
      const about = symbol.getDocumentationComment(checker);
      return `${about && `/** ${about} */\n`}export type ${symbol.name} = ${written(type, '', { checker, names })};\n`;
    });
  const json = JSON_TYPES.join(', ');
  const exported = symbols.some(({ symbol }) => JSON_TYPES.includes(symbol.name))
    ? `export type { ${json} };\n`
    : '';
  const shapes = `${'../'.repeat(file.split('/').length - 1)}core/shapes.js`;
  return `import type { ${json} } from '${shapes}';\n${exported}${declarations.join('')}`;
}

type Context = { readonly checker: Checker; readonly names: ReadonlyMap<number, string> };

/** A type in the names of the exported ones, which it may have in it. */
function written(type: Type, indent: string, context: Context): string {
  const { checker, names } = context;
  const inner = (one: Type) => names.get(one.id) ?? written(one, `${indent}  `, context);
  if (type.flags & TypeFlags.Boolean) return 'boolean';
  if (type.isUnionType()) return type.getTypes().map(inner).join(' | ');
  if (checker.isArrayType(type)) {
    const isReadonly = checker.typeToString((type as TypeReference).getTarget()).startsWith('readonly');
    return `${isReadonly ? 'Readonly' : ''}Array<${inner(checker.getTypeArguments(type as TypeReference)[0]!)}>`;
  }
  if (!(type.flags & (TypeFlags.Object | TypeFlags.Intersection))) return checker.typeToString(type);
  const members = checker.getPropertiesOfType(type).map((symbol) => {
    const key = /^[A-Za-z_]\w*$/.test(symbol.name) ? symbol.name : JSON.stringify(symbol.name);
    const mark = symbol.flags & SymbolFlags.Optional ? '?' : '';
    return `${key}${mark}: ${inner(checker.getTypeOfSymbol(symbol)!)}`;
  });
  const indexes = checker
    .getIndexInfosOfType(type)
    .map(({ valueType }) => `[key: string]: ${inner(valueType)}`);
  return `{\n${[...members, ...indexes].map((member) => `${indent}  readonly ${member};\n`).join('')}${indent}}`;
}
