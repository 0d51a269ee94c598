/** Patterns for JSON Schema, whose regular expressions are those of ECMAScript with the `u` flag. */
import { UntranslatablePattern } from '../patterns/python-char-class.ts';
import { translate } from '../patterns/python-regex.ts';

/** A Python pattern in ECMAScript; undefined if it has no form there. */
export function ecmaScriptPattern(pattern: string): string | undefined {
  try {
    const { body, flags } = translate(pattern, 'javascript', isReferring(pattern) ? 'named' : 'plain');
    const whole = flags === '' ? body : `(?${flags}:${body})`;
    new RegExp(whole, 'u');
    return whole;
  } catch (error) {
    if (error instanceof UntranslatablePattern || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether groups may be referred to, so that they need their names. */
function isReferring(pattern: string): boolean {
  return /\\[1-9]|\(\?P=|\(\?>|[*+?}]\+/.test(pattern);
}
