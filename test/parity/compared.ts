/** The same requests to a release of the peer and to Accession: equal answers, or a listed difference. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Difference, type Exchange, nameOf } from './differences.ts';
import { send } from './exchange.ts';
import { findPeer, type Peer } from './peer.ts';
import { type Service, startAccession, startPeer } from './services.ts';
import type { Step } from './step.ts';
import { ADMIN_TOKEN, makePlace, type Place } from './world.ts';

type Comparison = {
  readonly release: string;
  readonly configuration: Record<string, unknown>;
  /** In an order in which each finds what the ones before have left. */
  readonly steps: readonly Step[];
  readonly differences: readonly Difference[];
};

/** Makes tests of a comparison. */
export async function compare({ release, configuration, steps, differences }: Comparison): Promise<void> {
  const found = await findPeer(release);
  const skip = 'missing' in found ? found.missing : false;
  const exchanges: Exchange[] = [];
  const places: Place[] = [];
  const services: Service[] = [];

  before(async () => {
    if (!('peer' in found)) return;
    const [peer, ours] = await startBoth(found.peer);
    for (const step of steps) {
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
      const place = await makePlace(configuration);
      places.push(place);
      const service = await start(place.store, { config: place.config, adminToken: ADMIN_TOKEN });
      services.push(service);
      return service;
    });
    return (await Promise.all(both)) as [Service, Service];
  }

  for (const group of new Set(steps.map((step) => step.group))) {
    test(`requests of the group "${group}" are answered as by ${release}, or differ as listed`, {
      skip,
    }, () => {
      const unlisted = exchanges.filter(
        (exchange) =>
          exchange.step.group === group && differs(exchange) && nameOf(exchange, differences) === undefined,
      );
      assert.equal(
        unlisted.length,
        0,
        `${unlisted.length} unlisted differences:\n${unlisted.map(describe).join('\n')}`,
      );
    });
  }

  test(`every difference from ${release} that is listed still shows`, { skip }, () => {
    const shown = new Set(exchanges.filter(differs).map((exchange) => nameOf(exchange, differences)));
    const gone = differences.filter(({ name }) => !shown.has(name)).map(({ name }) => name);
    assert.deepEqual(gone, []);
  });

  test(`no request that ${release} gets, too, is answered with 5xx, but 503 in maintenance`, { skip }, () => {
    const broken = exchanges.filter(({ ours }) => ours.status >= 500 && ours.status !== 503);
    assert.equal(broken.length, 0, broken.map(describe).join('\n'));
  });
}

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
  const same = [...peer.text].findIndex((character, at) => character !== ours.text[at]);
  const show = (answer: Exchange['ours']) =>
    `${answer.status} ${answer.contentType} ${answer.location ?? ''} ${answer.text.slice(Math.max(0, same - 100), same + 400)}`;
  return `[${step.point}] ${step.method} ${step.path} (${who}) ${short(step)}\n  peer: ${show(peer)}\n  ours: ${show(ours)}`;
}

function short(step: Step): string {
  return step.body === undefined ? '' : step.body.slice(0, 300);
}
