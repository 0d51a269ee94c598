/** Names that complete the text of a schema: its own, those of LinkML, and the keywords of what is described. */
/** The elements that a schema defines, by the key of the section that has them. */
type Section = 'classes' | 'slots' | 'enums' | 'types' | 'prefixes';
const SECTIONS: readonly Section[] = ['classes', 'slots', 'enums', 'types', 'prefixes'];

type Names = Readonly<Record<Section, readonly string[]>>;

/** The types of `linkml:types`. */
const TYPES = [
  ...['string', 'integer', 'boolean', 'float', 'double', 'decimal', 'time', 'date', 'datetime'],
  ...['date_or_datetime', 'uriorcurie', 'curie', 'uri', 'ncname', 'objectidentifier', 'nodeidentifier'],
];

const OF_SCHEMA = [
  ...[
    'id',
    'name',
    'title',
    'description',
    'license',
    'version',
    'prefixes',
    'default_prefix',
    'default_range',
  ],
  ...['imports', 'subsets', 'types', 'enums', 'slots', 'classes', 'annotations'],
];
const OF_ANY = [
  'title',
  'description',
  'aliases',
  'annotations',
  'comments',
  'deprecated',
  'exact_mappings',
  'see_also',
];
const OF_CLASS = [
  ...['is_a', 'mixins', 'mixin', 'abstract', 'tree_root', 'class_uri', 'slots', 'slot_usage', 'attributes'],
  ...['rules', 'unique_keys', 'defining_slots', 'any_of', 'exactly_one_of', ...OF_ANY],
];
const OF_SLOT = [
  ...['range', 'required', 'recommended', 'multivalued', 'identifier', 'key', 'designates_type', 'pattern'],
  ...['structured_pattern', 'minimum_value', 'maximum_value', 'equals_string', 'ifabsent', 'inlined'],
  ...[
    'inlined_as_list',
    'slot_uri',
    'is_a',
    'mixins',
    'mixin',
    'inverse',
    'subproperty_of',
    'any_of',
    'unit',
  ],
  ...['minimum_cardinality', 'maximum_cardinality', 'exactly_one_of', 'none_of', 'all_of', ...OF_ANY],
];
const OF_ENUM = [
  'permissible_values',
  'enum_uri',
  'reachable_from',
  'inherits',
  'include',
  'minus',
  ...OF_ANY,
];
const OF_TYPE = ['typeof', 'base', 'uri', 'pattern', 'minimum_value', 'maximum_value', ...OF_ANY];
const KEYWORDS: Readonly<Record<Section, readonly string[]>> = {
  classes: OF_CLASS,
  slots: OF_SLOT,
  enums: OF_ENUM,
  types: OF_TYPE,
  prefixes: [],
};

/** The key of a line of YAML, with its indent. */
const KEY = /^( *)(?:(['"])(.+)\2|([\w.-]+)) *:(?:\s|$)/;

/** The names that a schema defines, as far as it can be read: keys right below a section, and attributes of classes. */
export function namesIn(text: string): Names {
  const names = new Map<Section, Set<string>>(SECTIONS.map((one) => [one, new Set()]));
  for (const type of TYPES) names.get('types')?.add(type);
  let section: Section | undefined;
  let indents: { readonly element: number; attributes?: number; slot?: number } | undefined;
  for (const line of text.split('\n')) {
    const [, { length: indent } = '', , quoted, plain = ''] = KEY.exec(line) ?? [];
    const name = quoted ?? plain;
    if (name === '') continue;
    if (indent === 0) {
      section = SECTIONS.find((one) => one === name);
      indents = undefined;
    } else if (section) {
      indents ??= { element: indent };
      if (indent === indents.element) names.get(section)?.add(name);
      if (section !== 'classes') continue;
      if (indents.attributes !== undefined && indent > indents.attributes) {
        indents.slot ??= indent;
        if (indent === indents.slot) names.get('slots')?.add(name);
      } else {
        indents = { element: indents.element };
        if (name === 'attributes') indents.attributes = indent;
      }
    }
  }
  const sorted = (of: Section) => [...(names.get(of) ?? [])].sort();
  return Object.fromEntries(SECTIONS.map((one) => [one, sorted(one)])) as Record<Section, string[]>;
}

/** Keys whose values are names, and of what. `is_a` and `mixins` are of the section that they are in. */
const VALUES: Readonly<Record<string, readonly Section[]>> = {
  range: ['classes', 'enums', 'types'],
  default_range: ['classes', 'enums', 'types'],
  typeof: ['types'],
  slots: ['slots'],
  defining_slots: ['slots'],
  unique_key_slots: ['slots'],
  inverse: ['slots'],
  subproperty_of: ['slots'],
  default_prefix: ['prefixes'],
  inherits: ['enums'],
};
/** Keys whose values are CURIEs. */
const CURIES = /^(\w+_uri|uri|meaning|source_nodes|\w+_mappings|subject|see_also)$/;

/**
 * The names that fit between the lines above a cursor.
 *
 * @param lines the lines up to the cursor, whose line ends at it
 */
export function namesAt(lines: readonly string[], names: Names): readonly string[] {
  const path = keysAbove(lines);
  const line = lines.at(-1) ?? '';
  const section = SECTIONS.find((one) => one === path[0]);
  const value = /^\s*(?:- )?([\w-]+):\s+\[?/.exec(line)?.[1];
  const isItem = /^\s*- *[^:]*$/.test(line);
  const key = value ?? (isItem ? path.at(-1) : undefined);
  if (key !== undefined) {
    if (key === 'is_a' || key === 'mixins') return names[section ?? 'classes'];
    if (CURIES.test(key)) return names.prefixes.map((one) => `${one}:`);
    return (VALUES[key] ?? []).flatMap((one) => names[one]);
  }
  const last = path.at(-1);
  if (path.length === 0) return OF_SCHEMA;
  if (last === 'slot_usage') return names.slots;
  if (section === 'classes' && path.length > 3) return OF_SLOT;
  if (section === undefined || path.length !== 2) return [];
  return KEYWORDS[section];
}

/** The keys that the last line is below, by their indents. */
function keysAbove(lines: readonly string[]): string[] {
  const path: string[] = [];
  let indent = indentOf(lines.at(-1) ?? '');
  for (const line of lines.slice(0, -1).toReversed()) {
    const key = /^\s*(?:- )?(?:(['"])(.+)\1|([\w.-]+)):(\s|$)/.exec(line);
    if (!key || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    path.unshift(key[2] ?? key[3] ?? '');
    if (indent === 0) break;
  }
  return path;
}

const indentOf = (line: string) => /^\s*(?:- *)?/.exec(line)![0].length - (/^\s*-/.test(line) ? 1 : 0);
