/** What a profile cannot express of records. */
import { definedRecord, type RecordText } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { Publishing } from './landing-page.ts';
import { expressed } from './profiles.ts';
import { VOCABULARIES, type VocabularyName } from './vocabularies.ts';

export type ProfileFault = {
  readonly vocabulary: VocabularyName;
  readonly className: string;
  readonly pid: string;
  readonly message: string;
  /** Whether the record is left out; else its values of a slot. */
  readonly isRecord: boolean;
};

export type TriedRecord = Pick<RecordText, 'pid' | 'className' | 'json'>;

/** Every fault of a record: at most one for each vocabulary leaves it out. */
export function profileFaults(
  schema: Schema,
  names: readonly VocabularyName[],
  publishing: Publishing,
  given: TriedRecord,
): ProfileFault[] {
  const { pid, className } = given;
  const record = definedRecord(schema, given);
  return names.flatMap((vocabulary) => {
    const found = expressed(schema, vocabulary, publishing, { className, record }, (iri) => iri);
    const of = { vocabulary, className, pid };
    const lost = found.lost.map((slot): ProfileFault => {
      return { ...of, message: `values of the slot '${slot}' are objects without a title`, isRecord: false };
    });
    if (found.missing.length === 0) return lost;
    const message = `${VOCABULARIES[vocabulary].title} requires ${found.missing.join(', and ')}`;
    return [{ ...of, message, isRecord: true }, ...lost];
  });
}
