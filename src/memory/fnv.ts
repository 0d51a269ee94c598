/** FNV-1a: a fast 32-bit hash of a string, by its UTF-16 code units. Not for strings that somebody chooses to collide. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
