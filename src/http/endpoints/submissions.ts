/** The endpoints of submitters: what became of the submissions of their zone. */
import type { FastifyReply } from 'fastify';
import { userRefused } from '../../collections/refusals.ts';
import { jsonWith } from '../../json.ts';
import { DEFAULT_SIZE, FIRST_PAGE, LARGEST_PAGE } from '../../records/page.ts';
import type { Review } from '../../review/review.ts';
import type { Sight } from '../../review/submissions.ts';
import { STATUSES } from '../../review/types.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { enter } from '../enter.ts';
import {
  integer,
  listParameter,
  optionalMoment,
  parameterInvalid,
  parametersOf,
  requiredText,
  textParameter,
} from '../query.ts';
import { sendJson } from '../reply.ts';
import { reviewing } from '../review-errors.ts';
import { ownItemSchema, ownPageSchema } from './review-schemas.ts';
import { jsonAnswer } from './schemas.ts';

const submissionsParameters = {
  page: integer('The number of the page.', FIRST_PAGE, FIRST_PAGE),
  size: integer('Submissions per page.', DEFAULT_SIZE, 1, LARGEST_PAGE),
  status: listParameter('What became of submissions; several are separated by commas.', STATUSES),
  class: listParameter('The classes of submissions, with their subclasses.'),
  batch: textParameter('The batch of submissions.'),
  matching: textParameter(
    'A pattern that a string of a submission in the zone matches, as in lists of records.',
  ),
  q: textParameter('Words that the submission, its batch or message has, with every backend.'),
  since: optionalMoment('Only submissions that were decided, or have left the zone, since this time.'),
};
const itemParameters = { pid: requiredText('the pid of the submission') };

type EnteredSubmissions = {
  readonly review: Review;
  readonly label: string;
  readonly sight: Sight;
  readonly matching: boolean;
};

/** The zone of the token. @throws ServiceError `permission_missing` */
async function enterZone(call: Call): Promise<EnteredSubmissions> {
  const { collection, grant } = await enter(call);
  const { readZone, readCurated } = grant.permissions;
  if (!readZone || grant.label === undefined || !collection.zones.exist)
    throw userRefused('read', collection.name, grant);
  const { honorsMatching: matching, review, curated, zones } = collection;
  const visibility = collection.visibilityOf(grant);
  const zone = await zones.existing(grant.label);
  for (const store of [curated, ...(zone ? [zone.store] : [])]) await collection.seen(store, visibility);
  return { review, label: grant.label, sight: { readCurated, visibility }, matching };
}

/** GET of a page of the zone's submissions, newest first. */
async function listSubmissions(call: Call): Promise<FastifyReply> {
  const { review, label, sight, matching } = await enterZone(call);
  const { page, size, ...given } = parametersOf(call, submissionsParameters);
  if (given.matching !== undefined && !matching) throw matchingUnsupported(given.matching);
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return sendJson(call.reply, JSON.stringify(await review.submissions(label, filter, sight, { page, size })));
}

function matchingUnsupported(input: string) {
  const msg = "The query parameter 'matching' is not supported by the storage backend, expected none.";
  return parameterInvalid([{ type: 'parameter_invalid', loc: ['query', 'matching'], msg, input }]);
}

/** GET of one submission of the zone, also of one that has left it. */
async function readSubmission(call: Call): Promise<FastifyReply> {
  const { review, label, sight } = await enterZone(call);
  const { pid } = parametersOf(call, itemParameters);
  return sendJson(call.reply, jsonWith(await review.submission(label, pid, sight)));
}

const submissionsShared = {
  method: 'GET',
  tag: 'Submissions',
  token: 'optional',
  refusals: [404, 422],
} as const;

export const submissionEndpoints: readonly Endpoint[] = [
  {
    ...submissionsShared,
    path: '/-/{collection}/submissions/',
    id: 'submissions',
    summary: 'List the submissions of the own zone',
    query: submissionsParameters,
    answers: { 200: jsonAnswer('A page of submissions.', ownPageSchema) },
    handle: reviewing(listSubmissions),
  },
  {
    ...submissionsShared,
    path: '/-/{collection}/submissions/item',
    id: 'submission',
    summary: 'Read a submission of the own zone',
    query: itemParameters,
    answers: { 200: jsonAnswer('The submission.', ownItemSchema) },
    handle: reviewing(readSubmission),
  },
];
