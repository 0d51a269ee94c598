/**
 * From a loaded schema to the model: classes, slots, types and enums with all names resolved.
 */

import { buildPrefixes, type Prefixes } from '../curie.ts';
import type { SchemaWarning } from '../errors.ts';
import { eachOnce, type Faults } from '../faults.ts';
import { Numeral } from '../json.ts';
import { yamlText } from '../load/definitions.ts';
import type { LoadedSchema } from '../load/loaded.ts';
import { unsupportedElements } from '../load/supported.ts';
import type { YamlValue } from '../load/yaml.ts';
import type { ClassDefinition, EnumDefinition, TypeDefinition } from '../model.ts';
import { type PatternCompiler, patternCompiler } from '../patterns/patterns.ts';
import type { Terms } from '../terms/vocabulary.ts';
import { reportContradictions } from './contradictions.ts';
import { defineClass } from './define-classes.ts';
import { defineEnum } from './define-enums.ts';
import { defineType } from './define-types.ts';
import type { DefinitionContext } from './definition-context.ts';
import { induce } from './induce.ts';
import { camelCase } from './names.ts';

export type Definitions = {
  readonly prefixes: Prefixes;
  readonly classes: ReadonlyMap<string, ClassDefinition>;
  readonly types: ReadonlyMap<string, TypeDefinition>;
  readonly enums: ReadonlyMap<string, EnumDefinition>;
  /** A class and all below it, by their names in camel case; the order is that in which unions are tried. */
  descendants(className: string): readonly string[];
  readonly compilePattern: PatternCompiler;
  readonly terms: Terms;
  readonly warnings: readonly SchemaWarning[];
};

/**
 * @param faults has those of the files
 * @param yieldIfDue called between steps
 * @throws LinkmlError `schema_invalid`
 */
export async function define(
  loaded: LoadedSchema,
  faults: Faults,
  terms: Terms = {},
  yieldIfDue = async () => {},
): Promise<Definitions> {
  await yieldIfDue();
  const warnings = [...loaded.warnings, ...unsupportedElements(loaded)];
  await yieldIfDue();
  const induction = await induce(loaded, faults, yieldIfDue);
  await yieldIfDue();
  const context: DefinitionContext = {
    loaded,
    faults,
    induction,
    prefixes: buildPrefixes(loaded.prefixes),
    terms,
    classNames: new Map([...loaded.classes.keys()].map((name) => [name, camelCase(name)])),
    typeOf: (name) => defineType(context, name, []),
    types: new Map(),
    enums: new Map(),
    inherited: { found: new Map(), total: 0 },
    slots: new Map(),
    induced: new Map(),
    defaultRange: yamlText(loaded.main.source.default_range),
    compilePattern: patternCompiler(),
    faultyPatterns: 'refuse',
    warn: (msg, type = 'not_enforced', vocabularies) =>
      void warnings.push({ type, msg, ...(vocabularies && { vocabularies }) }),
  };
  await yieldIfDue();
  // A class has many: compiled before it, one by one, they do not add up to one long step.
  for (const { source } of loaded.files)
    for (const pattern of patternsIn(source)) {
      try {
        context.compilePattern(pattern);
      } catch {
        // Its slot says so.
      }
      await yieldIfDue();
    }
  for (const name of loaded.types.keys()) faults.collect(() => context.typeOf(name));
  for (const name of loaded.enums.keys()) {
    faults.collect(() => context.enums.set(name, defineEnum(context, name)));
    await yieldIfDue();
  }
  const classes = await defineClasses(context, yieldIfDue);
  await reportContradictions(context, classes, yieldIfDue);
  faults.end(warnings);
  return {
    prefixes: context.prefixes,
    terms,
    classes,
    types: context.types,
    enums: context.enums,
    descendants: (className) => {
      const found = classes.get(className);
      return found ? context.induction.classes.descendants(found.schemaName).map(camelCase) : [];
    },
    compilePattern: context.compilePattern,
    warnings: eachOnce(warnings),
  };
}

/** The values of all elements called `pattern`. */
function* patternsIn(value: YamlValue): Generator<string> {
  if (typeof value !== 'object' || value === null || value instanceof Numeral) return;
  for (const [key, inner] of Object.entries(value))
    if (key === 'pattern' && typeof inner === 'string') yield inner;
    else yield* patternsIn(inner);
}

async function defineClasses(
  context: DefinitionContext,
  yieldIfDue: () => Promise<void>,
): Promise<Map<string, ClassDefinition>> {
  const classes = new Map<string, ClassDefinition>();
  for (const name of context.induction.classes.sorted) {
    context.faults.collect(() => {
      const definition = defineClass(context, name);
      const before = classes.get(definition.name);
      if (before)
        context.warn(
          `classes.${name}: has the same name in data as ${before.schemaName} and replaces it.`,
          'contradiction',
        );
      classes.set(definition.name, definition);
    });
    await yieldIfDue();
  }
  return classes;
}
