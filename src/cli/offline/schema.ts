/** `accession schema …`: what stewards ask about a schema. */

import { isAbsoluteIri } from '#linkml/curie.ts';
import type { LinkmlError, SchemaWarning } from '#linkml/errors.ts';
import { classUnknown } from '#linkml/generate/class-schema.ts';
import { isJsonObject } from '#linkml/json.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import { isServiceError } from '../../core/errors.ts';
import { dumpYaml } from '../../core/formats/dump-yaml.ts';
import { choicesOf } from '../../core/records/choices.ts';
import type { ClassDefinition, Schema, SlotRange } from '../../core/schema/schema.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { PROBLEMS_FOUND } from '../outcome.ts';
import { countText, type PrintOptions, printRows, printValue, write, writeTo } from '../print.ts';

/** `schema check`: lists unenforced, undescribed and unused elements. */
export async function schemaCheck(address: string, { json }: PrintOptions): Promise<number> {
  const schema = await openSchema(address).catch(async (error: unknown) => {
    if (!isServiceError(error)) throw error;
    const { warnings = [], problems, message } = error as LinkmlError;
    const faults = problems.length > 0 ? problems.map(({ msg }) => msg) : [message];
    const findings = warnings.map(finding);
    if (json)
      await printValue(
        { findings: [...faults.map((message) => ({ kind: 'fault', message })), ...findings] },
        true,
      );
    else await printRows(findings, ['kind', 'message']);
    throw error;
  });
  const undescribed = slotsWithoutDescription(schema);
  const unused = unusedPrefixes(schema);
  const warnings = schema.warnings.map(finding);
  const rows = [
    ...warnings,
    ...(undescribed.length > 0 ? [{ kind: 'note', message: notDescribed(undescribed) }] : []),
    ...(unused.length > 0
      ? [
          {
            kind: 'note',
            message: `The schema itself does not use these prefixes, which records may use: ${unused.join(', ')}.`,
          },
        ]
      : []),
  ];
  const classes = [...schema.classes.values()].map((one) => ({
    class: one.name,
    records: schema.recordClasses.includes(one.name) && !one.abstract ? 'yes' : '',
    slots: one.slots.size,
    required: [...one.slots.values()].filter(({ required }) => required).length,
    below: schema.descendants(one.name).length - 1,
  }));
  if (json) {
    await printValue({ id: schema.id, name: schema.name, findings: rows, classes }, true);
  } else {
    await write(
      `${schema.name} <${schema.id}>: ${countText(classes.length, 'class', 'classes')}, ${countText(schema.types.size, 'type')}, ${countText(schema.enums.size, 'enum')}\n\n`,
    );
    await printRows(classes, ['class', 'records', 'slots', 'required', 'below']);
    if (rows.length > 0) await write('\n');
    await printRows(rows, ['kind', 'message']);
  }
  return warnings.some(({ kind }) => kind !== 'note') ? PROBLEMS_FOUND : 0;
}

/** A warning as a row. Collections have snapshots of vocabularies, and a check of the schema alone has none: that is a note. */
function finding({ type, msg, vocabularies = [] }: SchemaWarning): { kind: string; message: string } {
  if (type !== 'vocabulary_missing') return { kind: type.replaceAll('_', ' '), message: msg };
  const names = vocabularies.join(', ');
  return { kind: 'note', message: `${msg} A collection with a snapshot of ${names} enforces it.` };
}

/** Slots that are named in a note. */
const MOST_NAMED = 10;

function notDescribed(slots: readonly string[]): string {
  const more = slots.length > MOST_NAMED ? ` and ${slots.length - MOST_NAMED} more` : '';
  return `Slots without a description: ${slots.slice(0, MOST_NAMED).join(', ')}${more}.`;
}

/** `schema merge`: the schema with its imports as one file. */
export async function schemaMerge(
  address: string,
  { output }: { readonly output?: string },
): Promise<number> {
  await writeTo(output, dumpYaml((await openSchema(address)).merged()));
  return 0;
}

/** `schema show`: the schema, or one class with its slots. */
export async function schemaShow(
  address: string,
  className: string | undefined,
  { json }: PrintOptions,
): Promise<number> {
  const schema = await openSchema(address);
  if (className === undefined) {
    const classes = [...schema.classes.values()].map(({ name, isA, abstract, description }) => ({
      class: name,
      is_a: isA ?? '',
      abstract: abstract ? 'yes' : '',
      description: description ?? '',
    }));
    await printRows(classes, ['class', 'is_a', 'abstract', 'description'], json);
    return 0;
  }
  const definition = schema.classes.get(className);
  if (!definition) throw classUnknown(schema, className);
  const slots = slotsOf(definition);
  if (json) {
    await printValue(
      { class: className, uri: definition.uri, slots, json_schema: schema.jsonSchema(className) },
      true,
    );
    return 0;
  }
  await write(`${className} <${definition.uri}>${definition.abstract ? ', abstract' : ''}\n`);
  await write(`${definition.ancestors.slice(1).join(' < ')}\n\n`.trimStart());
  await printRows(slots, ['slot', 'range', 'required', 'several', 'description']);
  return 0;
}

function slotsOf(definition: ClassDefinition) {
  return [...definition.slots.values()].map((slot) => ({
    slot: slot.name,
    range: rangeText(slot.range),
    required: slot.required ? 'yes' : '',
    several: slot.multivalued ? 'yes' : '',
    description: slot.description ?? choicesOf(slot.range).join(' | '),
  }));
}

function rangeText(range: SlotRange): string {
  if (range.kind === 'type') return range.type.name;
  if (range.kind === 'enum') return range.enum.name || 'enum';
  if (range.kind === 'class')
    return range.inlining === 'reference' ? `${range.className} (pid)` : range.className;
  if (range.kind === 'union') return range.alternatives.map(rangeText).join(' or ');
  return range.kind === 'array' ? `array of ${rangeText(range.of)}` : 'any';
}

/** Each slot once, by the class that has it first. */
function slotsWithoutDescription(schema: Schema): string[] {
  const found = new Map<string, string>();
  for (const { name, slots } of schema.classes.values()) {
    for (const slot of slots.values()) {
      if (!slot.description && !found.has(slot.schemaName))
        found.set(slot.schemaName, `${name}.${slot.name}`);
    }
  }
  return [...found.values()];
}

/** The prefixes that the files of a schema declare: without those of `linkml:types`, and of curated maps. */
function declaredPrefixes({ sources, prefixes }: Schema): [prefix: string, start: string][] {
  const files = [...sources.values()].map((text) => readYaml(text));
  const declared = new Set(
    files.flatMap((file) =>
      isJsonObject(file) && isJsonObject(file.prefixes) ? Object.keys(file.prefixes) : [],
    ),
  );
  return [...prefixes].filter(([prefix]) => declared.has(prefix));
}

/** Prefixes that no IRI of the schema uses. Those of instances are used by records, so this is a hint. */
function unusedPrefixes(schema: Schema): string[] {
  const iris = new Set<string>([schema.id]);
  for (const one of schema.classes.values()) {
    iris.add(one.uri).add(one.nativeUri);
    for (const slot of one.slots.values()) iris.add(slot.uri);
  }
  for (const one of schema.types.values()) iris.add(one.uri);
  for (const one of schema.enums.values()) {
    iris.add(one.uri);
    for (const { meaning } of one.values.values()) if (meaning !== undefined) iris.add(meaning);
  }
  const all = [...iris].map((iri) => (isAbsoluteIri(iri) ? iri : (schema.expand(iri) ?? iri)));
  return declaredPrefixes(schema).flatMap(([prefix, start]) =>
    all.some((iri) => iri.startsWith(start)) ? [] : [prefix],
  );
}
