/**
 * The normal form of single values: two spellings of one value have one form.
 *
 * The range of a slot decides the meaning of its values, never the look of the string. A value that does not fit its
 * range (the schema may have changed since it was stored) is its own form.
 */
import { type JsonValue, Numeral } from '#linkml/json.ts';
import { canonicalNumber } from '#linkml/types/numbers.ts';
import type { ClassDefinition, Schema, SlotRange, TypeDefinition } from '../../core/schema/schema.ts';

/** The built-in types whose values stand for IRIs. */
const IRI_BASES = new Set(['uriorcurie', 'curie', 'uri', 'objectidentifier', 'nodeidentifier']);

/** The IRI of a CURIE or IRI; a string that cannot be resolved stands for itself. */
export function claimIri(schema: Schema, value: string): string {
  return schema.expand(value) ?? value;
}

/** The form of a value that is neither a list nor an inlined object. */
export function valueForm(schema: Schema, range: SlotRange, value: JsonValue): JsonValue {
  if (typeof value === 'string' && namesIri(schema, range)) return claimIri(schema, value);
  // Decimals are stored as strings, so that no digit is lost.
  const text = typeof value === 'string' && isDecimal(range) ? value : canonicalNumber(value);
  const form = text === undefined ? undefined : numberForm(text);
  return form === undefined ? value : new Numeral(form);
}

/** Whether every string in the range is an IRI. One that may also be plain text is compared as text. */
function namesIri(schema: Schema, range: SlotRange): boolean {
  switch (range.kind) {
    case 'type':
      return isIriType(range.type);
    case 'class':
      return range.inlining !== 'reference' || referencesIri(schema, schema.classes.get(range.className));
    case 'union':
      return range.alternatives.every((one) => takesNoString(one) || namesIri(schema, one));
    case 'array':
      return namesIri(schema, range.of);
    default:
      return false;
  }
}

function isIriType({ base, isIri, unionOf }: TypeDefinition): boolean {
  if (unionOf.length > 0) return unionOf.every(isIriType);
  return isIri || IRI_BASES.has(base);
}

/** An identifier is an IRI whatever its type; a key is what its type says. */
function referencesIri(
  schema: Schema,
  definition: ClassDefinition | undefined,
  seen = new Set<string>(),
): boolean {
  if (!definition || seen.has(definition.name)) return true;
  if (definition.identifier || !definition.key) return true;
  const { range } = definition.key;
  if (range.kind !== 'class') return namesIri(schema, range);
  return referencesIri(schema, schema.classes.get(range.className), seen.add(definition.name));
}

const NUMBERS_ONLY = new Set(['integer', 'float', 'double', 'boolean']);

function takesNoString(range: SlotRange): boolean {
  if (range.kind === 'class') return range.inlining !== 'reference';
  return range.kind === 'array' || (range.kind === 'type' && NUMBERS_ONLY.has(range.type.base));
}

function isDecimal(range: SlotRange): boolean {
  return range.kind === 'type' && range.type.base === 'decimal';
}

const NUMBER_PARTS = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,15}))?$/;

/** `5`, `5.0` and `5e0` are one number: its digits without zeros at either end, and an exponent. */
function numberForm(text: string): string | undefined {
  const parts = NUMBER_PARTS.exec(text);
  if (!parts) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  if (whole === '' && fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  const significant = /^\d*[1-9]/.exec(digits)![0];
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign === '-' ? '-' : ''}${significant}e${scale}`;
}
