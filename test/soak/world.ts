/** The store of the soak run on a small disk of its own, and the service that is disturbed. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LABORATORY } from '../support/app.ts';
import { type ForgeDouble, startForgeDouble } from '../support/forge-double.ts';
import { startPostgresql, type TestServer } from '../support/postgresql.ts';
import { type RealService, startService } from '../support/real-service.ts';

export const CURATOR = 'soak-curator';
export const USER = 'soak-user';
/** Submits what is decided on. */
export const SUBMITTER = 'soak-submitter';

/** Where a service has its database. */
export type DatabaseKind = 'sqlite' | 'postgresql';

/** Collection names with their backends: one has files besides. */
const COLLECTIONS = {
  sqlite: { tables: 'sqlite+stl', files: 'record_dir+stl' },
  postgresql: { tables: 'postgresql+stl', files: 'record_dir+stl' },
} as const;

/** Entries are never removed: room for all of a minute, and more. */
const DISK_MIB_EACH_MINUTE = 64;
const DISK_MIB = 96;

type SoakWorld = {
  readonly collections: readonly string[];
  readonly forge: ForgeDouble;
  /** The service that runs now. */
  service(): RealService;
  start(): Promise<void>;
  /** Takes all room that the disk has, until {@link freeDisk}; false if the store has no disk of its own. */
  fillDisk(): boolean;
  freeDisk(): void;
  /** The PostgreSQL server of the service, if it has its database there. */
  readonly database: TestServer | undefined;
  /** Sets how far the clock of the service is off (`+3d`, `-90m`, `+0`); false if this machine lacks libfaketime. */
  setClock(offset: string): boolean;
  end(): Promise<void>;
};

/** @param minutes how long the run takes */
export async function makeWorld(kind: DatabaseKind, minutes: number): Promise<SoakWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'accession-soak-'));
  const store = join(folder, 'store');
  mkdirSync(store);
  const ownDisk =
    spawnSync('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=${Math.ceil(DISK_MIB + DISK_MIB_EACH_MINUTE * minutes)}m`,
      'accession-soak',
      store,
    ]).status === 0;
  const forge = await startForgeDouble();
  const database = kind === 'postgresql' ? await startPostgresql() : undefined;
  const collections = COLLECTIONS[kind];
  writeFileSync(join(store, '.dumpthings.yaml'), JSON.stringify(configuration(forge.url, collections)));
  const [fakeClock] = globSync('/usr/lib/*/faketime/libfaketime.so.1');
  const clock = join(folder, 'clock');
  writeFileSync(clock, '+0');
  const environment = {
    ...(database && { DATABASE_URL: await database.createDatabase() }),
    ...(fakeClock && {
      LD_PRELOAD: fakeClock,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      // As on a real machine, the steady clock does not jump.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }),
  };
  const ballast = join(store, 'ballast');
  let service: RealService | undefined;
  return {
    forge,
    service: () => service as RealService,
    collections: Object.keys(collections),
    database,
    setClock(offset) {
      if (fakeClock) writeFileSync(clock, offset);
      return fakeClock !== undefined;
    },
    async start() {
      service = await startService([store], { environment });
    },
    fillDisk() {
      if (!ownDisk) return false;
      const file = openSync(ballast, 'w');
      const block = Buffer.alloc(2 ** 20);
      try {
        while (writeSync(file, block) > 0);
      } catch {
        // The disk is full.
      } finally {
        closeSync(file);
      }
      return true;
    },
    freeDisk: () => rmSync(ballast, { force: true }),
    async end() {
      await service?.kill();
      await forge.close();
      await database?.close();
      if (ownDisk) spawnSync('umount', [store]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(forge: string, collections: Readonly<Record<string, string>>): object {
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
      Object.keys(collections).map((name) => [name, { mode, incoming_label: secret }]),
    ),
  });
  return {
    type: 'collections',
    version: 2,
    collections: Object.fromEntries(
      Object.entries(collections).map(([name, type]) => [name, collection(name, type)]),
    ),
    tokens: {
      curator: token(CURATOR, 'CURATOR'),
      user: token(USER, 'WRITE_COLLECTION'),
      submitter: token(SUBMITTER, 'WRITE_COLLECTION'),
    },
  };
}
