/** The dashboard asks only for what the service measures. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { GAUGES, type Gauges, Metrics, type Sample } from '../../src/core/metrics/metrics.ts';
import { MODULES } from '../../src/modules.ts';

type Panel = { readonly title: string; readonly targets: readonly { readonly expr: string }[] };

const dashboard = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../deploy/grafana.json'), 'utf8'),
) as { readonly panels: readonly Panel[] };

const ofModules: Gauges = Object.assign({}, ...MODULES.map(({ gauges }) => gauges));
/** One sample of each gauge, with a value for each of its labels. */
const samples = Object.entries<Gauges[string]>({ ...GAUGES, ...ofModules }).map(([name, { labels }]) => ({
  name,
  labels: Object.fromEntries(labels.map((label) => [label, label])),
  value: 1,
}));

/** The metrics of a text with their labels. */
function labelsByMetric(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? /gm)) {
    const known = found.get(name) ?? new Set<string>();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}

test('every query of the dashboard is about a metric and labels that exist', async () => {
  const metrics = new Metrics('0.0.0', ofModules, async () => samples);
  metrics.series('GET', '/:collection/record').answered(200, 0.01);
  const known = labelsByMetric(await metrics.text());
  assert.ok(dashboard.panels.length >= 10);
  for (const { title, targets } of dashboard.panels) {
    assert.ok(targets.length > 0, title);
    for (const { expr } of targets) {
      const names = expr.match(/\b(?:accession|nodejs|process)_\w+/g) ?? [];
      assert.ok(names.length > 0, `${title}: ${expr}`);
      for (const name of names) assert.ok(known.has(name), `${title}: no metric ${name}`);
      const labels = [...expr.matchAll(/by \(([^)]*)\)/g), ...expr.matchAll(/\{(\w+)[=!]/g)]
        .flatMap(([, list = '']) => list.split(/,\s*/))
        .filter((label) => label !== '');
      for (const label of labels) {
        assert.ok(
          names.some((name) => known.get(name)?.has(label)),
          `${title}: no label ${label} on ${names}`,
        );
      }
    }
  }
});

test('a gauge forgets what is gone', async () => {
  let records: Sample[] = [
    { name: 'accession_records', labels: { collection: 'c', area: 'curated' }, value: 3 },
    { name: 'accession_disk_free_bytes', value: 5 },
  ];
  const metrics = new Metrics('0.0.0', {}, async () => records);
  assert.match(await metrics.text(), /accession_records\{collection="c",area="curated"\} 3/);
  assert.match(await metrics.text(), /^accession_disk_free_bytes 5$/m);
  records = [];
  assert.doesNotMatch(await metrics.text(), /^accession_disk_free_bytes /m);
  assert.doesNotMatch(await metrics.text(), /accession_records\{/);
});
