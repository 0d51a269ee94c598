/**
 * The law of policies, on random records, changes and mappings: a caller is answered as by a service that never had the records
 * whose policies the caller lacks. ACCESSION_POLICY_RUNS sets how many worlds are made, ACCESSION_POLICY_SEED repeats them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Choices, choicesFrom } from '../parity/random.ts';
import { organization, person } from '../support/people.ts';
import { isLong } from '../support/tier.ts';
import { ORCID, PROBES } from './probes.ts';
import {
  type Change,
  comparable,
  of,
  type Policies,
  pair,
  TAG,
  TAG_IRI,
  withoutBlindSubmissions,
} from './world.ts';

const RUNS = Number(process.env.ACCESSION_POLICY_RUNS ?? (isLong ? 2 : 1));
const SEED = Number(process.env.ACCESSION_POLICY_SEED ?? (isLong ? 2 : 1));
const RECORDS = 24;
const NAMES = ['p1', 'p2', "it's", 'P1', ''];

for (let run = 0; run < RUNS; run++) {
  const seed = SEED + run;
  const random = choicesFrom(seed);
  const withDefault = random.chance(0.5) ? 'p1' : undefined;
  // Those who follow changes learn of former versions, too: in every other world, records have only one.
  const hasVersions = seed % 2 === 0;
  const all = changesOf(random, withDefault, hasVersions);
  const mapping = [of('ann', ...some(random, NAMES)), of('guest', ...some(random, NAMES))];
  const policies: Policies = {
    policy_annotation_tag: random.chance(0.5) ? TAG : TAG_IRI,
    ...(withDefault !== undefined && { default_policy: withDefault }),
    policy_mapping: mapping,
  };
  const former: Policies = random.pick([
    {},
    { ...policies, policy_mapping: [of('guest', ...NAMES)] },
    { policy_annotation_tag: 'lab:other', default_policy: 'p2', policy_mapping: [of('ann', 'p2')] },
  ]);
  const pids = [...new Set(all.flatMap((one) => ('deleted' in one ? [] : [one.record.pid])))].sort();
  for (const [token, granted] of [
    ['ann', mapping[0]!.authorized_by],
    [undefined, mapping[1]!.authorized_by],
    ['cleo', []],
  ] as const) {
    const backend = random.pick(['sqlite', 'record_dir+stl']);
    const name = `${token ?? 'a guest'} is answered as if hidden records did not exist (seed ${seed}, ${backend})`;
    test(name, async (t) => {
      const { restricted, bare } = await pair(
        t,
        { policies, former },
        backend,
        withoutBlindSubmissions(all, granted),
        granted,
      );
      const open = withDefault === undefined ? undefined : null;
      const probed = {
        pids: [...pids, 'labid:missing'],
        granted: open === undefined ? undefined : granted[0],
      };
      const isReadOnly = withDefault !== undefined && granted.length === 0;
      for (const [row, probes] of Object.entries(PROBES)) {
        if (hasVersions && /\/(changes|oai|weeks)$/.test(row)) continue;
        if (isReadOnly && /^POST .*\/(record|records|table)\//.test(row) && !row.includes('validate'))
          continue;
        for (const { method, url, ...options } of probes(probed)) {
          const request = { ...options, ...(token !== undefined && { token }) };
          const [is, wanted] = [
            await restricted.request(method, url, request),
            await bare.request(method, url, request),
          ];
          assert.deepEqual(
            comparable(is),
            comparable(wanted),
            `${row}: ${method} ${url} ${JSON.stringify(request)}`,
          );
        }
      }
    });
  }
}

/** Changes of records in both areas, in any order: most records have one version, some have others before it, or are deleted. */
function changesOf(random: Choices, withDefault: string | undefined, hasVersions: boolean): Change[] {
  const histories: Change[][] = [];
  const pids = Array.from({ length: RECORDS }, (_, at) => `labid:a${String(at).padStart(2, '0')}`);
  for (const [at, pid] of pids.entries()) {
    for (const area of ['curated', 'zone'] as const) {
      const history: Change[] = [];
      while (random.chance(history.length === 0 ? 0.6 : hasVersions ? 0.3 : 0)) {
        const isStored = history.at(-1) && !('deleted' in history.at(-1)!);
        if (isStored && random.chance(0.3)) history.push({ area, deleted: pid });
        else history.push({ area, ...versionOf(random, pid, `a${at}`, pids, withDefault) });
      }
      if (history.length > 0) histories.push(history);
    }
  }
  const changes: Change[] = [];
  while (histories.length > 0) {
    const history = random.pick(histories);
    changes.push(history.shift()!);
    if (history.length === 0) histories.splice(histories.indexOf(history), 1);
  }
  return changes;
}

function versionOf(
  random: Choices,
  pid: string,
  name: string,
  pids: readonly string[],
  withDefault: string | undefined,
) {
  const { annotations, needs } = named(random);
  const record = random.chance(0.7)
    ? person(name, {
        pid,
        given_name: random.pick(['Ann', 'Secret', 'Bo']),
        affiliations: some(random, pids).slice(0, 2),
        ...(random.chance(0.3) && { orcid: ORCID }),
      })
    : organization(`secret ${name}`, { pid });
  return {
    className: 'family_name' in record ? 'Person' : 'Organization',
    record: { ...record, ...(annotations && { annotations }) },
    needs: needs.length === 0 && withDefault !== undefined ? [withDefault] : needs,
  };
}

function named(random: Choices): { needs: string[]; annotations?: object } {
  if (random.chance(0.4)) return { needs: [] };
  const [name, other] = [random.pick(NAMES), random.pick(NAMES)];
  const tag = random.pick([TAG, TAG_IRI]);
  const forms = [
    { annotations: { [tag]: name }, needs: [name] },
    { annotations: { [tag]: { annotation_tag: tag, annotation_value: name } }, needs: [name] },
    { annotations: { [TAG]: name, [TAG_IRI]: other }, needs: [name, other] },
  ];
  return random.pick(forms);
}

function some<T>({ chance }: Choices, all: readonly T[]): T[] {
  return all.filter(() => chance(0.4));
}
