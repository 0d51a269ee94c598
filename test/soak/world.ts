/** The store of the soak run on a small disk of its own, and the service that is disturbed. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LABORATORY } from '../support/app.ts';
import { type ForgeDouble, startForgeDouble } from '../support/forge-double.ts';
import { type RealService, startService } from '../support/real-service.ts';

export const CURATOR = 'soak-curator';
export const USER = 'soak-user';

/** Collection names; each has its backend. */
export const COLLECTIONS = { sql: 'sqlite+stl', files: 'record_dir+stl' } as const;

const DISK_MIB = 96;

export type SoakWorld = {
  readonly forge: ForgeDouble;
  /** The service that runs now. */
  service(): RealService;
  start(): Promise<void>;
  /** Takes all room that the disk has, until {@link freeDisk}; false if the store has no disk of its own. */
  fillDisk(): boolean;
  freeDisk(): void;
  end(): Promise<void>;
};

export async function makeWorld(): Promise<SoakWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'accession-soak-'));
  const store = join(folder, 'store');
  mkdirSync(store);
  const ownDisk =
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'accession-soak', store]).status === 0;
  const forge = await startForgeDouble();
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(configuration(forge.url)));
  const ballast = join(store, 'ballast');
  let service: RealService | undefined;
  return {
    forge,
    service: () => service as RealService,
    async start() {
      service = await startService([store]);
    },
    fillDisk() {
      if (!ownDisk) return false;
      const { bavail, bsize } = statfsSync(store);
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize));
      } catch {
        // The service has taken some of it meanwhile: the disk is full.
      }
      return true;
    },
    freeDisk: () => rmSync(ballast, { force: true }),
    async end() {
      await service?.kill();
      await forge.close();
      if (ownDisk) spawnSync('umount', [store]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(forge: string): object {
  const collection = (name: string, type: string) => ({
    schema: LABORATORY,
    default_token: 'none',
    curated: `${name}/curated`,
    incoming: `${name}/incoming`,
    backend: { type },
    audit_backends: [{ type: 'gitaudit', path: `${name}/audit`, auto_flush_timeout: 2 }],
    auth_sources: [
      { type: 'config' },
      { type: 'forge', url: forge, organization: 'data_handling', team: 'readers', label_type: 'user' },
    ],
  });
  const token = (secret: string, mode: string) => ({
    user_id: secret,
    representation: secret,
    collections: Object.fromEntries(
      Object.keys(COLLECTIONS).map((name) => [name, { mode, incoming_label: secret }]),
    ),
  });
  return {
    type: 'collections',
    version: 2,
    collections: Object.fromEntries(
      Object.entries(COLLECTIONS).map(([name, type]) => [name, collection(name, type)]),
    ),
    tokens: { curator: token(CURATOR, 'CURATOR'), user: token(USER, 'WRITE_COLLECTION') },
  };
}
