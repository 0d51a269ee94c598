/**
 * Holds a service in a process of its own against the largest and slowest requests, while another process pings
 * `/-/health` at 20 Hz: `npm run stalls [-- PATTERN]`. Prints for each case the longest answer to a ping (and of an idle
 * server at the same time, which shows the noise of the machine), the longest turn of its event loop in processor time, the time and status of the request, the highest memory
 * against the size of the request, and the memory some seconds later.
 *
 * `ACCESSION_CHECKOUT` names another checkout to compare with.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CASES } from './stalls/cases.ts';
import { startService } from './stalls/service.ts';

const MIB = 2 ** 20;
/** How long memory is given back before it is read. */
const REST_MS = 3000;
const store = mkdtempSync(join(tmpdir(), 'accession-stalls-'));
const schema = resolve(import.meta.dirname, 'stalls/schema.yaml');
const area = (name: string) => ({
  schema,
  default_token: 'none',
  curated: `${name}/curated`,
  incoming: `${name}/incoming`,
});
const audited = (name: string) => ({ audit_backends: [{ type: 'gitaudit', path: `${name}/audit` }] });
const collections = {
  sqlite: { ...area('sqlite'), ...audited('sqlite'), backend: { type: 'sqlite+stl' } },
  dir: { ...area('dir'), ...audited('dir'), backend: { type: 'record_dir+stl' } },
  wide: { ...area('wide'), backend: { type: 'sqlite+stl' } },
  mend: { ...area('mend'), backend: { type: 'sqlite+stl' } },
  zones: { ...area('zones'), backend: { type: 'sqlite+stl' } },
};
const token = (name: string, names: readonly string[], mode: string) => ({
  user_id: name,
  representation: name,
  collections: Object.fromEntries(names.map((one) => [one, { mode, incoming_label: name }])),
});
const tokens = {
  curator: token('curator', ['sqlite', 'dir', 'wide', 'mend'], 'CURATOR'),
  ...Object.fromEntries(
    Array.from({ length: 5000 }, (_, n) => [`t${n}`, token(`t${n}`, ['zones'], 'WRITE_COLLECTION')]),
  ),
};
writeFileSync(
  join(store, '.dumpthings.yaml'),
  JSON.stringify({ type: 'collections', version: 2, collections, tokens }),
);
const wanted = new RegExp(process.argv[2] ?? '', 'i');
const service = await startService(store, process.env.ACCESSION_CHECKOUT);
const columns = [8, 6, 7, 9, 9, 7, 9] as const;
const row = (cells: readonly (string | number)[], rest: string) =>
  console.log(`${cells.map((cell, n) => String(cell).padStart(columns[n] ?? 8)).join(' ')}  ${rest}`);
row(['ping ms', 'idle', 'turn ms', 'took ms', 'peak MiB', 'x size', 'after MiB'], 'case: answer');
try {
  for (const { name, size, prepare, run, after = 500 } of CASES) {
    if (!wanted.test(name)) continue;
    const context = { service, store };
    await prepare?.(context);
    await delay(1500);
    await service.longest();
    const before = service.memory();
    service.resetPeak();
    const began = performance.now();
    const answer = await run(context).catch((error: Error) => error.message);
    const took = Math.round(performance.now() - began);
    await delay(after);
    const longest = await service.longest();
    const peak = service.peak() - before;
    await delay(REST_MS);
    const factor = size > 0 ? (peak / size).toFixed(1) : '-';
    const shown = typeof answer === 'string' ? answer : `${answer.status} ${answer.text.slice(0, 60)}`;
    row(
      [
        longest.service,
        longest.idle,
        longest.turn,
        took,
        Math.round(peak / MIB),
        factor,
        Math.round(service.memory() / MIB),
      ],
      `${name}: ${shown.replaceAll(/\s+/g, ' ')}`,
    );
  }
} finally {
  await service.stop();
  rmSync(store, { recursive: true, force: true });
}
