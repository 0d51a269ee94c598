/** What endpoints with a JSON body say of bodies that do not have their form. */
import { ADMIN, LABORATORY, type TestService } from '../../../test/support/app.ts';
import type { BadBodies } from '../../../test/support/bad-bodies.ts';

/** The id of a dry run, to send bad choices to. */
async function dryRun(service: TestService): Promise<string> {
  const json = { address: LABORATORY };
  const answer = await service.request('POST', '/-/lab/rehearse', { token: ADMIN, json });
  return answer.json<{ id: string }>().id;
}

export const bodies: readonly BadBodies[] = [
  {
    to: 'POST /-/lab/rehearse',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [{}, 422, 'body: expected either schema or address or vocabularies, found none of them'],
      [{ schema: 1 }, 422, 'body.schema: expected a string, found the number 1'],
      [
        { schema: 'id: x', address: 'y' },
        422,
        'body: expected either schema or address or vocabularies, found schema and address',
      ],
      [{ address: true }, 422, 'body.address: expected a string, found the boolean true'],
    ],
  },
  {
    to: 'POST /-/lab/rehearsals/ID/validate/Person',
    prepare: dryRun,
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [[], 422, 'body: expected a mapping, found a list'],
    ],
  },
  {
    to: 'POST /-/lab/rehearsals/ID/switch',
    token: ADMIN,
    prepare: dryRun,
    bad: [
      [{ patches: 'all' }, 422, 'body.patches: expected true, false or a list, found a string'],
      [{ patches: [1] }, 422, 'body.patches.0: expected a string, found the number 1'],
      [{ if_valid: 'yes' }, 422, 'body.if_valid: expected true or false, found a string'],
      [
        { patches: 1, if_valid: 1 },
        422,
        'body.patches: expected true, false or a list, found the number 1',
        'body.if_valid: expected true or false, found the number 1',
      ],
    ],
  },
];
