/**
 * Lists the elements of a schema that the engine ignores. Descriptions (titles, mappings, provenance) do not affect
 * a check and are ignored silently; constraints that are not enforced are reported with the element's name.
 */
import type { SchemaWarning } from '../errors.ts';
import { Suggestions } from '../suggestions.ts';
import { type Definition, isMapping, mappingsOf, namedOf } from './definitions.ts';
import type { LoadedSchema } from './loaded.ts';

const wordsIn = (text: string): string[] => text.trim().split(/\s+/);

/** Elements that any definition may have, and that say nothing about data. */
const DESCRIBES = wordsIn(`
  name id_prefixes definition_uri local_names conforms_to implements instantiates extensions annotations
  description alt_descriptions title deprecated todos notes comments examples in_subset from_schema imported_from source
  in_language see_also deprecated_element_has_exact_replacement deprecated_element_has_possible_replacement aliases
  structured_aliases mappings exact_mappings close_mappings related_mappings narrow_mappings broad_mappings created_by
  contributors created_on last_updated_on modified_by status rank categories keywords string_serialization values_from`);

/** Expressions that slots, types and their branches share. */
const EXPRESSES = wordsIn(`
  range pattern structured_pattern minimum_value maximum_value equals_string equals_string_in equals_number
  any_of all_of exactly_one_of none_of`);

const ENFORCED: Record<string, ReadonlySet<string>> = {
  schema: new Set([
    ...DESCRIBES,
    ...wordsIn(`id version imports license prefixes emit_prefixes default_curi_maps default_prefix default_range subsets types enums
      slots classes metamodel_version source_file source_file_date source_file_size generation_date settings slot_names_unique`),
  ]),
  class: new Set([
    ...DESCRIBES,
    ...wordsIn(`is_a abstract mixin mixins slots slot_usage attributes class_uri tree_root unique_keys rules any_of all_of
      exactly_one_of none_of slot_conditions union_of extra_slots subclass_of represents_relationship slot_names_unique alias defining_slots
      disjoint_with children_are_mutually_disjoint`),
  ]),
  slot: new Set([
    ...DESCRIBES,
    ...EXPRESSES,
    ...wordsIn(`is_a abstract mixin mixins singular_name domain slot_uri inherited readonly ifabsent list_elements_unique
      list_elements_ordered shared key identifier designates_type alias owner domain_of symmetric reflexive
      locally_reflexive irreflexive asymmetric transitive inverse is_class_field role is_usage_slot usage_slot_name relational_role
      slot_group is_grouping_slot path_rule transitive_form_of reflexive_transitive_form_of disjoint_with
      children_are_mutually_disjoint type_mappings required recommended multivalued inlined inlined_as_list unit
      value_presence equals_expression exact_cardinality minimum_cardinality maximum_cardinality has_member
      all_members enum_range range_expression subproperty_of array bindings`),
  ]),
  branch: new Set([
    ...DESCRIBES,
    ...EXPRESSES,
    ...wordsIn(`range_expression required recommended multivalued inlined inlined_as_list value_presence exact_cardinality minimum_cardinality
      maximum_cardinality`),
  ]),
  type: new Set([...DESCRIBES, ...EXPRESSES, ...wordsIn('typeof base uri repr union_of unit')]),
  enum: new Set([
    ...DESCRIBES,
    ...wordsIn(`is_a mixins abstract mixin enum_uri permissible_values include minus inherits code_set code_set_tag code_set_version pv_formula
      reachable_from matches concepts`),
  ]),
  rule: new Set([
    ...DESCRIBES,
    ...wordsIn('preconditions postconditions elseconditions bidirectional open_world deactivated'),
  ]),
};

/** Finds the unsupported parts of each kind of element, in words that begin with the place. */
export function unsupportedElements(loaded: LoadedSchema): SchemaWarning[] {
  const found: SchemaWarning[] = [];
  const suggestions = new Suggestions();
  const look = (kind: string, place: string, definition: Definition): void => {
    for (const [key, value] of Object.entries(definition)) {
      if (ENFORCED[kind]!.has(key) || value === null || value === false) continue;
      const hint = suggestions.didYouMean(key, () => ENFORCED[kind]!);
      const msg = `${place}.${key} is not supported, and not enforced.${hint}`;
      found.push({ type: 'not_enforced', msg });
    }
    if (kind === 'slot' || kind === 'branch' || kind === 'type') branches(place, definition);
  };
  const branches = (place: string, definition: Definition): void => {
    for (const key of ['any_of', 'all_of', 'exactly_one_of', 'none_of'])
      for (const branch of mappingsOf(definition[key])) look('branch', `${place}.${key}`, branch);
    for (const key of ['has_member', 'all_members'])
      if (isMapping(definition[key])) look('branch', `${place}.${key}`, definition[key]);
  };
  for (const file of loaded.files) if (!file.isStandard) look('schema', file.place, file.source);
  for (const [name, { source, file }] of loaded.classes) {
    if (file.isStandard) continue;
    look('class', `classes.${name}`, source);
    for (const [slot, definition] of namedOf(source.attributes))
      look('slot', `classes.${name}.attributes.${slot}`, definition);
    for (const [slot, definition] of namedOf(source.slot_usage))
      look('slot', `classes.${name}.slot_usage.${slot}`, definition);
    for (const rule of mappingsOf(source.rules)) look('rule', `classes.${name}.rules`, rule);
  }
  for (const [name, { source }] of loaded.slots) look('slot', `slots.${name}`, source);
  for (const [name, { source }] of loaded.types) look('type', `types.${name}`, source);
  for (const [name, { source }] of loaded.enums) look('enum', `enums.${name}`, source);
  return found;
}
