/** As much of a text as a message should repeat. */
export function excerpt(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`;
}
