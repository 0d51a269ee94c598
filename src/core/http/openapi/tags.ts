/** The tags of operations, in the order of the page. Operations of records have the kind of their area in place of one. */
export const TAGS = {
  Service: 'The service as a whole.',
  Classes: 'The classes of a collection, and the titles of records, for forms and links.',
  Publication: 'Records as pages and as data for the web, and their sitemap.',
  Vocabularies: 'The terms that values of slots are chosen from.',
  History: 'Who changed which curated record, when, and how; former versions, and their restore.',
  Review: 'Submissions that wait for a decision, and decisions on them.',
  Submissions: 'The state of the submissions in the zone of the user.',
  Stewardship: 'References, duplicates, settings, renames, merges and schema changes.',
  Administration: 'Collections, tokens and admin tokens.',
} as const;

/** An operation of records, by the kind of its area, or one of a tag. */
export type Tag = keyof typeof TAGS | 'user' | 'curated' | 'incoming';
