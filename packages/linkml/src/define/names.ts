/**
 * Names as the LinkML generators write them: classes and enums in camel case, slots with underscores.
 */

/** `Two Words` and `two_words` are the class `TwoWords`. */
export function camelCase(name: string): string {
  const words = name.trim().replaceAll(',', '').replace(/_+/g, ' ').split(/\s+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Names that differ only in blanks and underscores are one: `related to` and `related_to`. */
export function looseName(name: string): string {
  return name.trim().replaceAll(' ', '_');
}

/** `see also` and `see-also` are the slot `see_also`. */
export function snakeCase(name: string): string {
  return name.trim().replace(/\s+/g, '_').replaceAll(',', '').replaceAll('-', '_');
}
