/** The references from a record and to it. */
import { linksOfPid, linksSchema } from '../../collections/links.ts';
import { type Endpoint, row } from '../endpoint.ts';
import { enterArea } from '../enter.ts';
import { integer } from '../query.ts';
import { replying } from '../replying.ts';
import { pid } from './record-parameters.ts';
import { jsonAnswer } from './schemas.ts';

const parameters = {
  pid,
  offset: integer('Rows that are skipped.', 0, 0),
  limit: integer('The number of rows.', 100, 1, 1000),
};

export const linkEndpoints: readonly Endpoint[] = [
  row('GET', '/-/{collection}/links', 'links', {
    tag: 'Stewardship',
    area: 'user',
    action: 'read',
    summary: 'What a record refers to, and what refers to it',
    description: 'References in the areas that the token may read: zones are included for curators.',
    answers: { 200: jsonAnswer('The references.', linksSchema) },
    ...replying(enterArea, parameters, ({ collection, grant, area }, { pid: given, ...page }) =>
      linksOfPid(collection, given, page, {
        curated: grant.permissions.readCurated,
        zones: grant.permissions.curate,
        seen: (store) => collection.seen(store, area.visibility()),
      }),
    ),
  }),
];
