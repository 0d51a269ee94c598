/** `accession doctor`: examines a store, explains what it finds, and mends what is safe to mend. */
import { chmodSync, existsSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { strayPlaces } from '../config/edit-collections.ts';
import { PRIVATE_FOLDER } from '../config/paths.ts';
import { parseJson } from '../json.ts';
import { openSchema } from '../schema/schema.ts';
import { checkStore, rebuildIndex } from '../storage/maintenance.ts';
import { readArea } from '../storage/read-area.ts';
import { readYaml } from '../yaml/read.ts';
import { ownDirectory, storeAreas, storedConfiguration } from './areas.ts';
import { findPidProblems } from './check-pids.ts';
import type { Given } from './command.ts';
import { auditLogs } from './doctor-audit.ts';
import { type Ailment, type Check, type Patient, warning } from './doctor-check.ts';
import { tokens } from './doctor-tokens.ts';
import { PROBLEMS_FOUND } from './outcome.ts';
import { counted, printRows, write } from './print.ts';
import { runningService } from './running.ts';

/** Run by the table of commands. */
export async function doctor(given: Given): Promise<number> {
  const root = ownDirectory(given.args[0] as string);
  const patient: Patient = {
    root,
    configuration: await storedConfiguration(root),
    areas: await storeAreas(root),
    isRunning: runningService(root) !== undefined,
  };
  const found: Ailment[] = [];
  for (const check of CHECKS) found.push(...(await check(patient)));
  const mended = given.is('fix') ? found.filter(({ mend }) => mend !== undefined) : [];
  for (const { mend } of mended) mend?.();
  const left = found.filter((one) => !mended.includes(one));
  if (given.is('json')) {
    const plain = ({ severity, check, message, remedy }: Ailment) => ({ severity, check, message, remedy });
    await printRows(
      found.map((one) => ({ ...plain(one), mended: mended.includes(one) })),
      [],
      true,
    );
  } else {
    for (const one of found) {
      await write(
        `${one.severity} ${one.check}: ${one.message}\n    ${mended.includes(one) ? 'Mended.' : one.remedy}\n`,
      );
    }
  }
  const where = counted(patient.areas.length, 'area');
  process.stderr.write(
    `${where} examined, ${counted(left.length, 'problem')}${mended.length > 0 ? `, ${mended.length} mended` : ''}\n`,
  );
  return left.length > 0 ? PROBLEMS_FOUND : 0;
}

const CHECKS: readonly Check[] = [
  permissions,
  disk,
  clock,
  schemas,
  places,
  storedRecords,
  indexes,
  pids,
  zones,
  auditLogs,
  tokens,
  formerService,
];

/** The configuration holds secrets; the service must be able to write everywhere. */
function permissions({ root, areas }: Patient): Ailment[] {
  const own = join(root, PRIVATE_FOLDER);
  const found: Ailment[] = [];
  if (process.platform !== 'win32' && statSync(own).mode & 0o077) {
    found.push({
      severity: 'warning',
      check: 'permissions',
      message: `${own} can be read by other users, and holds secrets.`,
      remedy: `chmod 700 ${own}, or --fix.`,
      mend: () => chmodSync(own, 0o700),
    });
  }
  const owner = statSync(own).uid;
  for (const { directory } of areas) {
    if (statSync(directory).uid === owner) continue;
    found.push({
      severity: 'warning',
      check: 'permissions',
      message: `${directory} belongs to another user than the store.`,
      remedy: `chown it to the user who runs the service (${owner}).`,
    });
  }
  return found;
}

const LEAST_SPACE = 1024 ** 3;

function disk({ root }: Patient): Ailment[] {
  const { bavail, bsize, ffree, files } = statfsSync(root);
  const free = bavail * bsize;
  const space: Ailment[] =
    free >= LEAST_SPACE
      ? []
      : [
          {
            severity: 'error',
            check: 'disk',
            message: `Only ${Math.floor(free / 1024 ** 2)} MiB are free.`,
            remedy: 'Free at least 1 GiB: a full disk stops all writes.',
          },
        ];
  const scarce = files > 0 && ffree / files < 0.05;
  if (!scarce) return space;
  const remedy =
    'Record directories have one file per record: move the store to a file system with more inodes.';
  return [
    ...space,
    { severity: 'warning', check: 'disk', message: 'Less than 5 % of the inodes are free.', remedy },
  ];
}

/** A clock that was set back makes times of entries run ahead of the clock. */
function clock({ areas }: Patient): Ailment[] {
  const ahead = areas.filter(({ directory }) => statSync(directory).mtimeMs > Date.now() + 60_000);
  return ahead.map(({ directory }) => ({
    severity: 'warning',
    check: 'clock',
    message: `${directory} was changed in the future.`,
    remedy: 'The clock is, or was, wrong: synchronize it (NTP).',
  }));
}

async function schemas({ configuration }: Patient): Promise<Ailment[]> {
  const addresses = new Set(Object.values(configuration.collections).map(({ schema }) => schema));
  const results = [...addresses].map(async (schema): Promise<Ailment[]> => {
    try {
      await openSchema(schema);
      return [];
    } catch (error) {
      const remedy = 'Bring the schema back, or give the collection another address.';
      return [{ severity: 'error', check: 'schema', message: (error as Error).message, remedy }];
    }
  });
  return (await Promise.all(results)).flat();
}

function places({ configuration, root }: Patient): Ailment[] {
  return strayPlaces(configuration, root).map((message) => ({
    severity: 'warning',
    check: 'places',
    message,
    remedy: 'Move the directory into the store and change the configuration.',
  }));
}

/** Every record is read: YAML that people have edited may be broken. */
function storedRecords({ areas }: Patient): Ailment[] {
  return areas.flatMap(({ directory }) => {
    const found: Ailment[] = [];
    for (const { file, kind, text } of readArea(directory)) {
      try {
        if (kind === 'yaml') readYaml(text);
        else parseJson(text);
      } catch (error) {
        const message = `${file}: ${(error as Error).message}`;
        found.push({
          severity: 'error',
          check: 'records',
          message,
          remedy: 'Mend the file; "accession validate" shows the line.',
        });
      }
    }
    return found;
  });
}

function indexes({ areas, isRunning }: Patient): Ailment[] {
  return areas.flatMap(({ collection, area, directory }) =>
    checkStore(directory).map(({ path, message }): Ailment => {
      const ofIndex = /rebuild the index/.test(message);
      const where = `${collection}/${area} ${path}`;
      return {
        severity: 'error',
        check: ofIndex ? 'index' : 'storage',
        message: `${where}: ${message}`,
        remedy: ofIndex
          ? 'Stop the service and run "accession rebuild-index", or --fix.'
          : 'See docs/storage.md.',
        ...(ofIndex && !isRunning && { mend: () => rebuildIndex(directory, pino({ level: 'silent' })) }),
      };
    }),
  );
}

async function pids({ root }: Patient): Promise<Ailment[]> {
  const { problems } = await findPidProblems(root);
  return problems
    .filter(({ kind }) => kind !== 'unreadable')
    .map(({ collection, area, kind, message }) => ({
      severity: kind === 'dangling' ? 'warning' : 'error',
      check: kind === 'dangling' ? 'references' : 'pids',
      message: `${collection}/${area} ${message}`,
      remedy:
        kind === 'dangling'
          ? 'Store the record that is referred to, or remove the reference.'
          : 'Change the pid, or add the prefix to the schema.',
    }));
}

/** Zones that no token writes to: their submissions have no owner. */
function zones({ configuration, areas }: Patient): Ailment[] {
  return areas.flatMap(({ collection, area }): Ailment[] => {
    const label = /^incoming\/(.*)$/s.exec(area)?.[1];
    if (label === undefined) return [];
    const isNamed = Object.values(configuration.tokens).some(
      ({ collections }) =>
        Object.hasOwn(collections, collection) && collections[collection]?.incoming_label === label,
    );
    // Tokens of a forge name their zones themselves.
    const byForge = configuration.collections[collection]?.auth_sources.some(({ type }) => type !== 'config');
    if (isNamed || byForge) return [];
    const message = `The zone '${label}' of the collection '${collection}' belongs to no token.`;
    return [
      {
        severity: 'warning',
        check: 'zones',
        message,
        remedy: 'Review its records, or give a token this label.',
      },
    ];
  });
}

function formerService({ root, isRunning }: Patient): Ailment[] {
  const note = join(root, PRIVATE_FOLDER, 'service.json');
  if (isRunning || !existsSync(note)) return [];
  const message = 'The last service did not stop by itself.';
  const remedy = 'Nothing is lost; the next start completes what was in progress.';
  return [{ ...warning('service', message, remedy), mend: () => rmSync(note, { force: true }) }];
}
