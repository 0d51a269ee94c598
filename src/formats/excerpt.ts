/** The part of a string that a message repeats. */
export function excerpt(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`;
}
