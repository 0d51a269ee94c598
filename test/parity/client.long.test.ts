/** The peer's own client against both services: the same output, exit status and files. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { dtc, type Run } from './client.ts';
import { commands } from './client-commands.ts';
import { triples } from './exchange.ts';
import { filesBelow } from './files.ts';
import { findPeer, type Peer } from './peer.ts';
import { type Service, startAccession, startPeer } from './services.ts';
import { laboratory, makePlace, type Place, secretOf } from './world.ts';

const found = await findPeer();
const skip = 'missing' in found ? found.missing : false;

type Side = { readonly service: Service; readonly place: Place };
const sides: Side[] = [];

before(async () => {
  if (!('peer' in found)) return;
  for (const start of [startPeer.bind(undefined, found.peer), startAccession]) {
    const place = await makePlace(laboratory());
    sides.push({ place, service: await start(place.store, { config: place.config }) });
  }
});

after(async () => {
  await Promise.all(sides.map(({ service }) => service.stop()));
  await Promise.all(sides.map(({ place }) => place.remove()));
});

// Where the type layer is on, the peer's curation reads lack schema_type and its client skips such records: the
// comparison is made without it, and then with the layer our own answers are compared with those.
test('every command of the client does the same', { skip }, async () => {
  const [peer, ours] = await Promise.all(sides.map((side) => runAll(side, 'dir')));
  assert.deepEqual(ours!.runs, peer!.runs);
  assert.deepEqual([...ours!.files.keys()], [...peer!.files.keys()]);
  for (const [file, content] of peer!.files) assert.equal(ours!.files.get(file), content, file);

  const layered = await runAll(sides[1]!, 'stl');
  assert.deepEqual(layered.runs, ours!.runs);
});

// The client reads pages of a hundred while it deletes what it has read: its next page is past the end.
test('zones of more than a page are cleaned and curated to the end', { skip }, async () => {
  const records = Array.from(
    { length: 130 },
    (_, i) => `${JSON.stringify({ pid: `ex:many-${i}`, name: 'M' })}\n`,
  );
  const left = await Promise.all(
    sides.map(async ({ service: { address } }) => {
      const { peer } = found as { peer: Peer };
      const counts: string[] = [];
      for (const command of ['clean-incoming', 'auto-curate']) {
        const post = ['post-records', address, 'sql', 'Person'];
        await dtc(peer, post, { token: secretOf('WRITE_COLLECTION'), stdin: records.join('') });
        await dtc(peer, [command, address, 'sql', 'write_collection'], { token: secretOf('CURATOR') });
        const show = ['read-pages', '--stats', `${address}/sql/records/p/`];
        counts.push((await dtc(peer, show, { token: secretOf('WRITE_COLLECTION') })).stdout);
        const rest = ['read-pages', '--stats', `${address}/sql/incoming/write_collection/records/p/`];
        counts.push((await dtc(peer, rest, { token: secretOf('CURATOR') })).stdout);
      }
      return counts;
    }),
  );
  assert.deepEqual(left[1], left[0]);
});

type Outcome = { readonly runs: readonly string[]; readonly files: Map<string, string> };

async function runAll({ service, place }: Side, name: string): Promise<Outcome> {
  const { peer } = found as { peer: Peer };
  const folder = path.join(path.dirname(place.store), `files-${name}-${Date.now()}`);
  await mkdir(folder);
  const runs: string[] = [];
  for (const { args, secret, stdin } of commands(service.address, name, folder)) {
    const run = await dtc(peer, args, { token: secret, stdin });
    const plain = (text: string) =>
      text.replaceAll(service.address, '<address>').replaceAll(folder, '<folder>').replaceAll(name, '<name>');
    runs.push(`dtc ${plain(args.join(' '))}\n→ ${run.status}\n${comparable(run).map(plain).join('\n')}`);
  }
  return { runs, files: exported(await filesBelow(folder)) };
}

/** The lines of standard output; the words of errors, and the 422 for which Accession has 400, are taken out. */
function comparable({ stdout }: Run): string[] {
  return stdout.split('\n').map((line) => {
    const graph = /^"@prefix/.test(line) ? triples(JSON.parse(line) as string) : line;
    return graph
      .replaceAll(/"(http_response|details)": "(\\.|[^"\\])*"/g, '"$1": <error>')
      .replaceAll('"http_status": 422', '"http_status": 400')
      .replace(/\{"detail":.*$/, '<error>');
  });
}

/** Exports and change sets without what git and the clock add. */
function exported(files: Map<string, string>): Map<string, string> {
  const kept = [...files].filter(([file]) => !file.includes('.git/') && !file.endsWith('description.json'));
  return new Map(kept);
}
