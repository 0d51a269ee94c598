/** The schema of a followed service that has changed: it is not said to be in force if the store refuses it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announce } from '../../src/cli/operator/follow.ts';
import { ADMIN, testApp } from '../support/app.ts';

test('a schema that the store refuses is reported with the reason', async (t) => {
  const { app } = await testApp(t, { collections: { lab: {} } });
  await announce(app, 'lab', ADMIN);
  const refused = announce(app, 'lab', 'another secret');
  await assert.rejects(
    refused,
    /lab: the schema of the service has changed, and is not in force here: .*admin token/,
  );
});
