/**
 * The cases of `forge-cases.ts` against a real Gitea or Forgejo, which an environment variable names:
 *
 *     ACCESSION_TEST_FORGE='{"url": "http://127.0.0.1:3000/api/v1", "admin": "<token of an administrator>"}'
 *
 * The forge is filled with users, organisations and teams, so it should be one for tests. With
 * ACCESSION_TEST_FORGE_RECORD=1 its answers become those of the double.
 */
import { resolve } from 'node:path';
import { after, before, describe } from 'node:test';
import { runForgeCases } from '../support/forge-cases.ts';
import { setUpRealForge } from '../support/real-forge.ts';

const place = process.env.ACCESSION_TEST_FORGE;
const recording = resolve(import.meta.dirname, '../fixtures/forge/answers.json');

describe('tokens of a real forge', { skip: place ? false : 'ACCESSION_TEST_FORGE names no forge' }, () => {
  let forge: Awaited<ReturnType<typeof setUpRealForge>>;
  before(async () => {
    const { url, admin } = JSON.parse(place ?? '{}') as { url: string; admin: string };
    forge = await setUpRealForge(url, admin, process.env.ACCESSION_TEST_FORGE_RECORD ? recording : undefined);
  });
  after(() => forge.close());
  runForgeCases(() => forge);
});
