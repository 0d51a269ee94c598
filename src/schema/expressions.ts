/** `equals_expression`: compiled in a later step. */
import type { JsonObject, JsonValue } from '../json.ts';

export function compileExpression(
  _source: string,
): ((object: JsonObject) => JsonValue | undefined) | undefined {
  return undefined;
}
