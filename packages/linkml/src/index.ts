/**
 * The package entry `accession-linkml`: LinkML for JavaScript, in Node and in browsers. `docs/linkml-library.md` is its
 * manual.
 */

export { LinkmlError, type SchemaWarning, type WarningType } from './errors.ts';
export { compileExpression, type Evaluate } from './expressions/expressions.ts';
export type { JsonObject, JsonValue } from './json.ts';
export { canonicalJson, Numeral, parseJson } from './json.ts';
export * from './linkml.ts';
export { readYaml, YamlError } from './yaml/read.ts';
