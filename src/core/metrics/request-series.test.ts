import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { RequestSeries } from './request-series.ts';

test('requests are counted by status, and their times in the buckets up to the bounds, as Prometheus reads them', async () => {
  const registry = new Registry();
  const series = new RequestSeries(registry);
  const { answered } = series.add('GET', '/a"b');
  series.add('POST', '/never');
  answered(200, 0.0005);
  answered(200, 0.003);
  answered(404, 20);
  const lines = (await registry.metrics()).split('\n');
  const labels = 'method="GET",route="/a\\"b"';
  for (const line of [
    '# TYPE accession_requests_total counter',
    `accession_requests_total{${labels},status="200"} 2`,
    `accession_requests_total{${labels},status="404"} 1`,
    '# TYPE accession_request_seconds histogram',
    `accession_request_seconds_bucket{le="0.0005",${labels}} 1`,
    `accession_request_seconds_bucket{le="0.0025",${labels}} 1`,
    `accession_request_seconds_bucket{le="0.005",${labels}} 2`,
    `accession_request_seconds_bucket{le="10",${labels}} 2`,
    `accession_request_seconds_bucket{le="+Inf",${labels}} 3`,
    `accession_request_seconds_sum{${labels}} 20.0035`,
    `accession_request_seconds_count{${labels}} 3`,
  ])
    assert.ok(lines.includes(line), line);
  assert.ok(!lines.some((line) => line.includes('/never')));
});
