/** The words of reviews as data: what the endpoints answer with. */
import type { JsonText } from '#linkml/json.ts';
import type { Shape } from '../../core/shapes.ts';
import type { decisionSchema, itemSchema, rowSchema } from './schemas.ts';

export type Decision = Shape<typeof decisionSchema>;

/** A submission in the queue. */
export type Row = Shape<typeof rowSchema>;

/** Hints for a curator who is about to accept, whatever the difference. */
export type Hints = Pick<Row, 'duplicates' | 'dangling'>;

/** Finds the hints of submissions, in order. */
export type HintProvider = (
  submissions: readonly {
    readonly label: string;
    readonly iri: string;
    readonly className: string;
    readonly json: string;
  }[],
) => Promise<readonly Hints[]>;

export type Reference = Shape<typeof itemSchema>['references'][number];

/** An answer some members of which are JSON already. */
export type WithTexts<Answer, Member extends keyof Answer> = Omit<Answer, Member> &
  Readonly<Record<Member, JsonText>>;
