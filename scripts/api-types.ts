/**
 * The types of requests and responses, written out: `src/http/api-types.ts` reads them from the schemas of endpoints, whose files
 * mention types of Node and of other packages. Clients get what is here, so they need none of those.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  API,
  type Checker,
  SymbolFlags,
  type Type,
  TypeFlags,
  type TypeReference,
} from 'typescript/unstable/sync';

const root = resolve(import.meta.dirname, '..');
/** They are declared in a file without others, and refer to themselves. */
const JSON_TYPES = ['Json', 'JsonObject'];

/** Replaces the types of `http/api-types.ts` in a folder with declarations. */
export function writeApiTypes(dist: string): void {
  const api = new API({ cwd: root });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.build.json')] });
    const [{ checker, program }] = snapshot.getProjects() as [ReturnType<typeof snapshot.getProjects>[0]];
    const source = program.getSourceFile(join(root, 'src/http/api-types.ts'))!;
    const symbols = checker
      .getExportsOfModule(checker.getSymbolAtLocation(source)!)
      .filter(({ name }) => name !== 'FromSchema')
      .map((symbol) => ({ symbol, type: checker.getDeclaredTypeOfSymbol(symbol) }));
    const names = new Map(symbols.map(({ symbol, type }) => [type.id, symbol.name]));
    const declarations = symbols
      .filter(({ symbol }) => !JSON_TYPES.includes(symbol.name))
      .map(({ symbol, type }) => {
        const about = symbol.getDocumentationComment(checker);
        return `${about && `/** ${about} */\n`}export type ${symbol.name} = ${written(type, '', { checker, names })};\n`;
      });
    const json = JSON_TYPES.join(', ');
    const head = `import type { ${json} } from '../shapes.js';\nexport type { ${json} };\n`;
    writeFileSync(join(dist, 'http/api-types.d.ts'), head + declarations.join(''));
  } finally {
    api.close();
  }
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
