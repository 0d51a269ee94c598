/** The refusals in the API description. */
import type { Json } from '../endpoint.ts';
import { ref } from '../endpoints/schemas.ts';

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The record is invalid, the body is malformed, a CURIE has an unknown prefix, or a conversion failed.',
  401: 'The request has no token, or one that is not accepted here.',
  403: 'The token is known, but does not permit this.',
  404: 'The collection, class, label or element is unknown, or the record to delete does not exist.',
  405: 'The process that answers only reads the store.',
  406: 'A path, label or token cannot be accepted.',
  408: 'The request arrives too slowly.',
  409: 'The name or the representation is taken or reserved, or the element is needed.',
  410: 'What was asked for is not kept any more, or is of another generation.',
  412: 'The record is not in the state that `If-Match` or `If-None-Match` requires.',
  413: 'A list is too long for one response, or the body is too large.',
  422: 'A query parameter or a key of the body is unknown or has a wrong value.',
  429: 'There were too many requests. The header `Retry-After` has the seconds to wait.',
  500: 'The service failed. The operator finds the request by its id.',
  503: 'The collection is in maintenance or not available, or the service is busy or stopping.',
  507: 'The disk of the store is full. Nothing was changed.',
};

/** The responses by name, `status404` and the like. */
export function problemResponses(): Json {
  const content = { 'application/json': { schema: ref('Error') } };
  const headers = {
    'Accession-Error': {
      description: 'The code of the error: see docs/errors.md.',
      schema: { type: 'string' },
    },
  };
  return Object.fromEntries(
    Object.entries(REFUSALS).map(([status, description]) => [
      `status${status}`,
      { description, headers, content },
    ]),
  );
}
