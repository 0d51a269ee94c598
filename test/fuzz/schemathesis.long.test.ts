/**
 * Schemathesis makes requests from the served description, valid and invalid ones, and holds the answers against it: no
 * failure of the service, no status, media type, header or body that the description does not have.
 * `ACCESSION_SCHEMATHESIS_EXAMPLES` is the number of random requests for each endpoint; from 10 on, the systematic ones come
 * on top, which are thousands. Each part of the paths is then a run of its own: Schemathesis keeps all requests in memory.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { environmentWith } from '../support/python.ts';
import { SEED, startTarget, TOKENS } from './target.ts';

const EXAMPLES = Number(process.env.ACCESSION_SCHEMATHESIS_EXAMPLES ?? 2);
const RANDOM = 'examples,fuzzing';
const SYSTEMATIC = 'examples,coverage,fuzzing';
/**
 * Patterns of paths, each of which is in one. Objects of classes refer to each other: systematic ones have no end. `PUT` of
 * `/tokens/x/rotate` is not one of another method: `x/rotate` is the name of a token.
 */
const PARTS: readonly (readonly [paths: string, phases: string])[] =
  EXAMPLES < 10
    ? [['.', RANDOM]]
    : [
        ['^/sql/.*record/[A-Z]|/rotate$', RANDOM],
        ['^/sql/(?!.*record/[A-Z])', SYSTEMATIC],
        ['^/-/sql/', SYSTEMATIC],
        ['^/-/.collection./[a-m]', SYSTEMATIC],
        ['^/-/.collection./[n-z]', SYSTEMATIC],
        ['^/(?!sql/|-/sql/|-/.collection./|.*/rotate$)', SYSTEMATIC],
      ];

const PACKAGES = ['schemathesis==4.32.5'];

/**
 * Left out: `positive_data_acceptance` and `negative_data_rejection`, because JSON Schema cannot say which records a
 * LinkML schema accepts, which collections exist, or which bytes are a CSV file; `use_after_free` and
 * `ensure_resource_availability`, because a zone shows the curated record again when its own is deleted; `ignored_auth`,
 * because a collection has a default token.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'missing_required_header',
  'unsupported_method',
];

const found = await environmentWith('schemathesis-4.32.5', PACKAGES);
const skip = 'missing' in found ? found.missing : false;

for (const who of ['curator', 'admin'] as const)
  for (const [paths, phases] of PARTS)
    test(`no request of the description gets an answer that contradicts it (${who}, ${paths})`, {
      skip,
    }, async (t) => {
      if ('missing' in found) return;
      const target = await startTarget(t, { collections: ['sql'], classes: ['Person', 'Publication'] });
      const folder = mkdtempSync(join(tmpdir(), 'accession-schemathesis-'));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      const args = [
        ...['run', `${target.url}/openapi.json`, '--header', `X-Service-Token: ${TOKENS[who]}`],
        ...['--checks', CHECKS.join(','), '--phases', phases],
        ...['--max-examples', String(EXAMPLES), '--seed', String(SEED), '--workers', '2', '--no-shrink'],
        ...['--continue-on-failure', '--warnings', 'off', '--no-color', '--generation-database', 'none'],
        ...['--request-timeout', '30', '--suppress-health-check', 'all', '--include-path-regex', paths],
      ];
      const child = spawn(join(found.venv, 'bin/schemathesis'), args, {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const exit = once(child, 'exit');
      const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const [status] = await exit;
      const [generated = '', count = '0'] = /(\d+) generated[^\n]*/.exec(output) ?? [];
      t.diagnostic(generated);
      assert.ok(Number(count) > 100, output.slice(-20_000));
      // Errors are its own, when it cannot make a request from a pattern; failures are answers.
      if (status !== 0) t.diagnostic(/^Errors:\n.*$/m.exec(output)?.[0] ?? `status ${status}`);
      assert.match(output, /^=+ SUMMARY =+$/m, `${output.slice(-5000)}\n${errors}`);
      assert.doesNotMatch(output, /^(Failures:|=+ FAILURES =+)$/m, output.slice(-20_000));
      target.judge({ status: 200, text: output }, 'everything that was shown');
      assert.doesNotMatch(target.output(), /request failed/);
    });
