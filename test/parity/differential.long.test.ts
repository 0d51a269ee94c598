/** The same requests to the peer and to Accession: equal answers, or a listed difference. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { DIFFERENCES, type Exchange, nameOf } from './differences.ts';
import { send } from './exchange.ts';
import { findPeer, type Peer } from './peer.ts';
import { allSteps } from './requests.ts';
import { type Service, startAccession, startPeer } from './services.ts';
import type { Step } from './step.ts';
import { ADMIN_TOKEN, laboratory, makePlace, type Place } from './world.ts';

const found = await findPeer();
const skip = 'missing' in found ? found.missing : false;
const DOCUMENT = path.resolve(import.meta.dirname, '../../docs/compatibility.md');

const exchanges: Exchange[] = [];
const places: Place[] = [];
const services: Service[] = [];

before(async () => {
  if (!('peer' in found)) return;
  const [peer, ours] = await startBoth(found.peer);
  for (const step of allSteps()) {
    const [theirs, mine] = await Promise.all([send(step, peer.address), send(step, ours.address)]);
    exchanges.push({ step, peer: theirs, ours: mine });
  }
});

after(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await Promise.all(places.map((place) => place.remove()));
});

async function startBoth(peer: Peer): Promise<[Service, Service]> {
  const starts = [startPeer.bind(undefined, peer), startAccession];
  const both = starts.map(async (start) => {
    const place = await makePlace(laboratory());
    places.push(place);
    const service = await start(place.store, { config: place.config, adminToken: ADMIN_TOKEN });
    services.push(service);
    return service;
  });
  return (await Promise.all(both)) as [Service, Service];
}

const GROUPS = [...new Set(allSteps().map(({ group }) => group))];

for (const group of GROUPS) {
  test(`requests of the group "${group}" are answered as by the peer, or differ as listed`, { skip }, () => {
    const unlisted = exchanges.filter(
      (exchange) => exchange.step.group === group && differs(exchange) && !nameOf(exchange),
    );
    assert.equal(
      unlisted.length,
      0,
      `${unlisted.length} unlisted differences:\n${unlisted.map(describe).join('\n')}`,
    );
  });
}

test('every difference that is listed still shows', { skip }, () => {
  const shown = new Set(exchanges.filter(differs).map(nameOf));
  const gone = DIFFERENCES.filter(({ name }) => !shown.has(name)).map(({ name }) => name);
  assert.deepEqual(gone, []);
});

test('the document lists the differences that the test knows, and no others', async () => {
  const document = await readFile(DOCUMENT, 'utf8');
  const rows = [...document.matchAll(/^\| `([a-z0-9-]+)` +\|/gm)].map((match) => match[1]);
  assert.deepEqual(rows.sort(), DIFFERENCES.map(({ name }) => name).sort());
});

test('no request gets a 5xx from Accession, but 503 in maintenance', { skip }, () => {
  const broken = exchanges.filter(({ ours }) => ours.status >= 500 && ours.status !== 503);
  assert.equal(broken.length, 0, broken.map(describe).join('\n'));
});

function differs({ peer, ours }: Exchange): boolean {
  return (
    peer.status !== ours.status ||
    peer.contentType !== ours.contentType ||
    peer.location !== ours.location ||
    peer.body !== ours.body
  );
}

function describe({ step, peer, ours }: Exchange): string {
  const who = step.headers['x-dumpthings-token'] ?? 'no token';
  const show = (answer: Exchange['ours']) =>
    `${answer.status} ${answer.contentType} ${answer.location ?? ''} ${answer.text.slice(0, 400)}`;
  return `[${step.point}] ${step.method} ${step.path} (${who}) ${short(step)}\n  peer: ${show(peer)}\n  ours: ${show(ours)}`;
}

function short(step: Step): string {
  return step.body === undefined ? '' : step.body.slice(0, 300);
}
