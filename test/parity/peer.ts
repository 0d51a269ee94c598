/**
 * The real peer and its real client, in a Python virtual environment outside of the repository.
 *
 * `ACCESSION_PEER_VENV` names an existing environment. Else one is made once, in the user's cache directory, with
 * `pip`. Where that can't be done (no Python 3.11, no package index) the parity tests are skipped, and say why.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { environmentAt, environmentWith } from '../support/python.ts';

/** The libraries that decide about answers are held at the versions the facts come from. */
const LIBRARIES = [
  'dump-things-pyclient==0.3.0',
  'linkml==1.12.1',
  'linkml-runtime==1.12.1',
  'pydantic==2.14.3',
  'rdflib==7.6.0',
  'fastapi==0.165.0',
  'PyYAML==6.0.3',
];

/** What is compared against. */
export const RELEASE = '6.3.3';

/** The release whose stores are opened, too. */
export const PRESENT_RELEASE = '6.6.4';

export type Peer = {
  /** The executable of the service. */
  readonly service: string;
  /** The executable of the command line client. */
  readonly client: string;
  readonly python: string;
};

type PeerLookup = { readonly peer: Peer } | { readonly missing: string };

/** The peer, installed if need be, or the reason why there is none. */
export async function findPeer(release = RELEASE): Promise<PeerLookup> {
  const named = process.env.ACCESSION_PEER_VENV;
  if (named && release === RELEASE) {
    const peer = peerIn(named);
    return existsSync(peer.service) ? { peer } : { missing: `ACCESSION_PEER_VENV has no ${peer.service}` };
  }
  const found = await environmentWith(`peer-${release}`, [`dump-things-service==${release}`, ...LIBRARIES]);
  return 'missing' in found ? found : { peer: peerIn(found.venv) };
}

/** The peer only if it is there already, without installing anything. */
export function peerAtHand(): Peer | undefined {
  const venv = process.env.ACCESSION_PEER_VENV ?? environmentAt(`peer-${RELEASE}`);
  const peer = peerIn(venv);
  return existsSync(peer.client) ? peer : undefined;
}

function peerIn(venv: string): Peer {
  const bin = path.join(venv, 'bin');
  return {
    service: path.join(bin, 'dump-things-service'),
    client: path.join(bin, 'dtc'),
    python: path.join(bin, 'python'),
  };
}
