/** The package entry `accession-linkml/generate`: what is generated from a schema. `docs/linkml-library.md` is its manual. */
export { describeClass } from './form.ts';
export { wholeJsonSchema } from './json-schema.ts';
export { type GeneratedContext, jsonldContext } from './jsonld-context.ts';
export { typescriptTypes } from './typescript.ts';
