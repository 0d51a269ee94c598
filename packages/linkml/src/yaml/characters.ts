/** Characters with a meaning in YAML, by their codes. */
export const TAB = 9;
export const NEWLINE = 10;
export const RETURN = 13;
export const BLANK = 32;
export const DOUBLE_QUOTE = 34;
export const HASH = 35;
export const COLON = 58;
export const BACKSLASH = 92;

export function isBreak(code: number): boolean {
  return code === NEWLINE || code === RETURN || code === 0x85 || code === 0x2028 || code === 0x2029;
}

/** Whether a token ends before a character: a blank, a tab, a line break, or the end of the text. */
export function isBlank(code: number): boolean {
  return code === BLANK || code === TAB || isBreak(code) || Number.isNaN(code);
}
