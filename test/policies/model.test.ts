/**
 * The law of policies, on random records: a caller is answered as by a service that never had the records whose policies the
 * caller lacks. ACCESSION_POLICY_RUNS sets how many worlds are made, ACCESSION_POLICY_SEED repeats them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Choices, choicesFrom } from '../parity/random.ts';
import { organization, person } from '../support/people.ts';
import { ORCID, PROBES } from './probes.ts';
import { comparable, of, type Policies, pair, type Stored, TAG, TAG_IRI } from './world.ts';

const RUNS = Number(process.env.ACCESSION_POLICY_RUNS ?? 2);
const SEED = Number(process.env.ACCESSION_POLICY_SEED ?? 1);
const RECORDS = 24;
const NAMES = ['p1', 'p2', "it's", 'P1', ''];

for (let run = 0; run < RUNS; run++) {
  const seed = SEED + run;
  const random = choicesFrom(seed);
  const all = worldOf(random);
  const withDefault = random.chance(0.5) ? 'p1' : undefined;
  const mapping = [of('ann', ...some(random, NAMES)), of('guest', ...some(random, NAMES))];
  const policies: Policies = {
    policy_annotation_tag: random.chance(0.5) ? TAG : TAG_IRI,
    ...(withDefault !== undefined && { default_policy: withDefault }),
    policy_mapping: mapping,
  };
  const needing = all.map((one) => ({
    ...one,
    needs: one.needs.length === 0 && withDefault !== undefined ? [withDefault] : one.needs,
  }));
  for (const [token, granted] of [
    ['ann', mapping[0]!.authorized_by],
    [undefined, mapping[1]!.authorized_by],
    ['cleo', []],
  ] as const) {
    const backend = random.pick(['sqlite', 'record_dir+stl']);
    const name = `${token ?? 'a guest'} is answered as if hidden records did not exist (seed ${seed}, ${backend})`;
    test(name, async (t) => {
      const { restricted, bare } = await pair(t, policies, backend, needing, granted);
      const pids = [...new Set(all.map(({ record }) => record.pid)), 'labid:missing'];
      const open = withDefault === undefined ? undefined : null;
      const probed = { pids, granted: open === undefined ? undefined : granted[0] };
      const isReadOnly = withDefault !== undefined && granted.length === 0;
      for (const [row, probes] of Object.entries(PROBES)) {
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

/** Records of both areas, in the order in which they are stored; some are stored twice, with another policy. */
function worldOf(random: Choices): Stored[] {
  const stored: Stored[] = [];
  const pids = Array.from({ length: RECORDS }, (_, at) => `labid:a${String(at).padStart(2, '0')}`);
  for (const [at, pid] of pids.entries()) {
    for (const area of ['curated', 'zone'] as const) {
      if (!random.chance(0.6)) continue;
      const { annotations, needs } = named(random);
      const record = random.chance(0.7)
        ? person(`a${at}`, {
            pid,
            affiliations: some(random, pids).slice(0, 2),
            ...(random.chance(0.3) && { orcid: ORCID }),
          })
        : organization(`secret ${at}`, { pid });
      const className = 'family_name' in record ? 'Person' : 'Organization';
      stored.push({ area, className, record: { ...record, ...(annotations && { annotations }) }, needs });
    }
  }
  return stored;
}

function named(random: Choices): Pick<Stored, 'needs'> & { annotations?: object } {
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
