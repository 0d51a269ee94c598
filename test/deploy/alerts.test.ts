/** The alarms of `deploy/alerts.yml` are about metrics and labels that a running service has. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { readYaml } from '#linkml/yaml/read.ts';
import { openApp } from '../../src/app.ts';
import { ADMIN, testApp } from '../support/app.ts';
import { ownDatabase } from '../support/postgresql.ts';

type Rule = { readonly alert: string; readonly expr: string };
const file = readFileSync(resolve(import.meta.dirname, '../../deploy/alerts.yml'), 'utf8');
const { groups } = readYaml(file) as unknown as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** Words of PromQL that are not names of metrics. */
const WORDS = /^(time|predict_linear|or|and|unless|by|on|ignoring|rate|increase|sum|max|min|for|bool)$/;

/** The metrics of an expression, with the labels that it selects; durations, strings and numbers are none. */
function selected(expr: string): { name: string; labels: Record<string, string> }[] {
  return [...expr.matchAll(/(?<![\w"[])([a-z_]\w*)(?:\{([^}]*)\})?/gi)]
    .map(([, name = '', inBraces = '']) => ({
      name,
      labels: Object.fromEntries(
        [...inBraces.matchAll(/(\w+)\s*=\s*"([^"]*)"/g)].map(([, label, value]) => [label, value]),
      ),
    }))
    .filter(({ name }) => !WORDS.test(name));
}

async function served(t: TestContext) {
  const service = await testApp(t, {
    collections: { c: {} },
    tokens: { cur: { c: 'CURATOR' } },
  });
  const { text } = await service.request('GET', '/-/metrics', { token: ADMIN });
  const series = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]) => ({ name, labels, value: Number(value) }),
  );
  return { service, series };
}

test('every alarm is about series that a running service has', async (t) => {
  const { series } = await served(t);
  for (const { alert, expr } of rules) {
    const found = selected(expr).filter(({ name }) => name !== 'up');
    assert.ok(found.length > 0 || expr.startsWith('up{'), `${alert} is about nothing`);
    for (const { name, labels } of found) {
      const fits = series.some(
        (one) =>
          one.name === name &&
          Object.entries(labels).every(([label, value]) => one.labels.includes(`${label}="${value}"`)),
      );
      assert.ok(fits, `${alert}: the service has no ${name} with ${JSON.stringify(labels)}`);
    }
  }
});

test('an alarm is for little room on the disk of the store, whose free bytes are a metric', async (t) => {
  const { service, series } = await served(t);
  assert.ok(
    rules.some(({ expr }) => selected(expr).some(({ name }) => name === 'accession_disk_free_bytes')),
  );
  const numberOf = (name: string) => series.find((one) => one.name === name)?.value ?? Number.NaN;
  const { bavail, blocks, bsize } = statfsSync(service.store);
  assert.equal(numberOf('accession_disk_size_bytes'), blocks * bsize);
  // Other processes write meanwhile.
  assert.ok(Math.abs(numberOf('accession_disk_free_bytes') - bavail * bsize) <= blocks * bsize * 0.1);
  assert.ok(numberOf('accession_disk_free_bytes') > 0);
});

test('a service that has everything in its database reports no disk: the one of the database is elsewhere', async (t) => {
  const app = await openApp({
    databaseUrl: await ownDatabase(),
    bootstrap: createHash('sha256').update(ADMIN).digest('hex'),
    version: '0.0.0',
    logger: pino({ level: 'silent' }),
  });
  t.after(() => app.close());
  const headers = { 'x-service-token': ADMIN };
  const metrics = await app.server.inject({ url: '/-/metrics', headers });
  assert.equal(metrics.statusCode, 200);
  assert.doesNotMatch(metrics.body, /^accession_disk_\w+ /m);
  const status = await app.server.inject({ url: '/-/status', headers });
  assert.equal(status.json<{ disk: unknown }>().disk, null);
});
