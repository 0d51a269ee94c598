/** The problems that a check reports. */
import type { Problem } from '../errors.ts';
import type { BuiltInKind } from '../types/types.ts';

/** A problem of an object that was checked; programs can distinguish problems by their type. */
export type CheckProblem = Problem & { readonly type: ProblemType };

/** `int_parsing` is a string that is not an integer, `int_type` another value; the same for the other built-in types. */
export type ProblemType =
  | `${BuiltInKind}_${'parsing' | 'type'}`
  // the class and its slots
  | 'abstract_class'
  | 'class_unknown'
  | 'object_type'
  | 'extra_forbidden'
  | 'missing'
  | 'value_presence'
  // values
  | 'any_type'
  | 'array_shape'
  | 'enum'
  | 'reference_type'
  | 'strict'
  | 'label_mismatch'
  | 'term_obsolete'
  | 'term_outside'
  | 'term_unknown'
  | 'vocabulary_missing'
  | 'string_unicode'
  | 'union'
  // identifiers and keys
  | 'duplicate_key'
  | 'identifier_repeated'
  | 'key_mismatch'
  | 'no_prefix'
  | 'prefix_unknown'
  | 'unique_key'
  // lists and mappings
  | 'all_members'
  | 'dict_type'
  | 'has_member'
  | 'list_elements_unique'
  | 'list_type'
  | 'too_long'
  | 'too_short'
  // constraints, rules and expressions
  | 'all_of'
  | 'any_of'
  | 'equals_expression'
  | 'equals_number'
  | 'exactly_one_of'
  | 'greater_than_equal'
  | 'is_a'
  | 'less_than_equal'
  | 'literal_error'
  | 'none_of'
  | 'pattern'
  // limits
  | 'pattern_too_long'
  | 'too_complex'
  | 'too_deep'
  | 'too_many_problems';
