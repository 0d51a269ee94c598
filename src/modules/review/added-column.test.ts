/** A column of the queue is one row: this one is added before the service is loaded, and is then in answers, filters and words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { person } from '../../../test/support/people.ts';
import { COLUMNS, type Column } from './queue/columns.ts';

const length: Column = {
  schema: { type: 'integer', description: 'The length of the message.' },
  value: ({ message }) => message?.length ?? 0,
  filter: {
    description: 'The messages of submissions.',
    schema: { type: ['string', 'null'], minLength: 1 },
    column: 'message',
  },
  isListed: true,
};
Object.assign(COLUMNS, { length });
const { testApp } = await import('../../../test/support/app.ts');
const { allCommands } = await import('../../cli/main.ts');

test('a column that is one row more is answered, filtered by, described and a word of the command', async (t) => {
  const { request } = await testApp(t, {
    collections: { lab: {} },
    tokens: { ann: { lab: 'WRITE_COLLECTION' }, cur: { lab: 'CURATOR' } },
  });
  for (const name of ['a', 'b']) {
    const url = `/lab/record/Person?message=about-${name}${name}`;
    assert.equal((await request('POST', url, { token: 'ann', json: person(name) })).status, 200);
  }
  const queue = async (query: string) => {
    const { items } = (await request('GET', `/-/lab/review/${query}`, { token: 'cur' })).json<{
      items: readonly { pid: string; length: number }[];
    }>();
    return items.map(({ pid, length }) => [pid, length]);
  };
  assert.deepEqual(await queue(''), [
    ['labid:a', 8],
    ['labid:b', 8],
  ]);
  assert.deepEqual(await queue('?length=about-bb'), [['labid:b', 8]]);
  const decided = await request('POST', '/-/lab/review/decisions/by-filter', {
    token: 'cur',
    json: { filter: { length: 'about-aa' }, expected: 1, decision: 'accept' },
  });
  assert.equal(decided.json<{ selected: number }>().selected, 1);
  const api = (await request('GET', '/openapi.json')).text;
  assert.match(api, /The length of the message/);
  assert.match(api, /The messages of submissions/);
  const review = allCommands().commands.find((one) => one.name() === 'review')!;
  const list = review.commands.find((one) => one.name() === 'list')!;
  assert.match(list.helpInformation(), /--length <value> +the messages of submissions/);
});
