/** Which decisions are made, or undone, in one transaction, and where their zones are. */
import { ServiceError } from '../../../core/errors.ts';
import { bytesInAreas } from '../../../core/storage/read/record-sql.ts';
import type { ReviewContext, ReviewParts } from '../parts.ts';
import type { Proposal } from './proposal.ts';

/** Decisions of one transaction, and the bytes of the records that they are about. These are different records. */
const MOST_TOGETHER = 100;
const MOST_BYTES_TOGETHER = 16 * 1024 * 1024;

/** Labels that are named to a curator who asks for an unknown one. */
const MOST_LABELS = 20;

/** Runs of decisions for one transaction each: decisions on a record see the ones before them. */
export async function runsOf(context: ReviewContext, proposals: readonly Proposal[]): Promise<Proposal[][]> {
  const sizes = await sizesOf(context, proposals);
  return inRuns(proposals, (proposal) => {
    const iris = irisOf(context.parts, proposal);
    return { iris, bytes: iris.reduce((sum, iri) => sum + (sizes.get(iri) ?? 0), 0) };
  });
}

/** Divides things in their order: those of a run are about different records. */
export function inRuns<T>(
  things: readonly T[],
  about: (thing: T) => { readonly iris: readonly string[]; readonly bytes: number },
): T[][] {
  const runs: T[][] = [];
  let run: T[] = [];
  let bytes = 0;
  const seen = new Set<string>();
  for (const thing of things) {
    const { iris, bytes: size } = about(thing);
    const isFull = seen.size + iris.length > MOST_TOGETHER || bytes + size > MOST_BYTES_TOGETHER;
    if (run.length > 0 && (isFull || iris.some((iri) => seen.has(iri)))) {
      run = [];
      bytes = 0;
      seen.clear();
    }
    if (run.push(thing) === 1) runs.push(run);
    bytes += size;
    for (const iri of iris) seen.add(iri);
  }
  return runs;
}

function irisOf({ schema }: ReviewParts, { pid, references }: Proposal): string[] {
  return [pid, ...references.map((one) => one.pid)].map((one) => schema.expand(one) ?? one);
}

/** By IRI, the bytes of the records and bases that decisions are about. */
async function sizesOf(
  { parts, queue }: ReviewContext,
  proposals: readonly Proposal[],
): Promise<ReadonlyMap<string, number>> {
  const { database } = parts;
  const { dialect } = database;
  const zones = await Promise.all(
    [...new Set(proposals.map(({ label }) => label))].map((label) => areaOf(parts, label)),
  );
  const areas = [parts.curated.area.id, ...zones.filter((area) => area !== undefined)];
  const iris = proposals.flatMap((one) => irisOf(parts, one));
  const sizes = new Map(await bytesInAreas(database, areas, iris));
  const bases = await database.tuples<[iri: string, bytes: number]>(
    `SELECT iri, CAST(sum(octet_length(base_json)) AS BIGINT) FROM accession_submission
     WHERE ${dialect.among('iri', 1)} AND queue = $2 AND ${dialect.among('area', 3, 'bigint')} AND base_json IS NOT NULL
     GROUP BY iri`,
    [iris, await queue(), areas],
  );
  for (const [iri, bytes] of bases) sizes.set(iri, (sizes.get(iri) ?? 0) + bytes);
  return sizes;
}

/** The area of a zone that was written to. */
export async function areaOf(parts: ReviewParts, label: string): Promise<number | undefined> {
  const zone = await zoneOf(parts, label).catch(() => undefined);
  return zone?.store.area.id;
}

/** The zone of a label, if it was ever written to. @throws ServiceError `label_unknown` */
export async function zoneOf({ zones, collection }: ReviewParts, label: string) {
  if (await zones.has(label)) return zones.existing(zones.first(label));
  const labels = (await zones.labels()).slice(0, MOST_LABELS);
  const known = labels.map((one) => `'${one}'`).join(', ') || 'none';
  throw new ServiceError(
    'label_unknown',
    `The collection '${collection}' has no incoming zone '${label}', expected ${known}.`,
  );
}
