/** The door for Turtle cases: judged once the format can read them. */
import type { JsonObject } from '../src/json.ts';
import type { Schema } from '../src/schema/schema.ts';

export async function judgeTurtle(
  _one: JsonObject,
  _expect: JsonObject,
  _schema: Schema,
): Promise<{ ok: boolean; why: string; skipped?: boolean }> {
  return { ok: true, why: '', skipped: true };
}
