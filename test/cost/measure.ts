/** What a request costs: processor time of the process, the longest time for which no other request is answered, and memory. */

/** Memory and the event loop are looked at this often, in milliseconds. */
const PERIOD_MS = 2;

export type Cost = {
  /** Of all threads, in milliseconds. */
  readonly cpu: number;
  /** Of the main thread without a pause. */
  readonly turn: number;
  /** By which the memory of the process grew, in bytes. */
  readonly memory: number;
};

/** Measures work; other programs on the machine make no difference, as this is processor time. */
export async function costOf<T>(work: () => Promise<T>): Promise<Cost & { readonly result: T }> {
  const threadTime = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const rss = process.memoryUsage.rss();
  const before = process.cpuUsage();
  let [turn, peak, last] = [0, rss, threadTime()];
  const look = () => {
    const now = threadTime();
    turn = Math.max(turn, now - last);
    last = now;
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(look, PERIOD_MS);
  try {
    const result = await work();
    // What has begun behind the response is part of the cost.
    await new Promise((done) => setTimeout(done, PERIOD_MS));
    look();
    const { user, system } = process.cpuUsage(before);
    return { cpu: (user + system) / 1000, turn, memory: peak - rss, result };
  } finally {
    clearInterval(timer);
  }
}

/** What was measured at one size. */
export type Point = Cost & { readonly size: number };

/** Shorter times are mostly noise. */
const LEAST_CPU_MS = 60;

/**
 * The exponent of the cost over the size, between the two largest sizes: 1 is linear, 2 quadratic. Undefined if all is fast.
 *
 * @param least milliseconds that count
 */
export function exponentOf(points: readonly Point[], least = LEAST_CPU_MS): number | undefined {
  const slow = points.filter(({ cpu }) => cpu >= least);
  const [first, last] = slow.slice(-2);
  if (!first || !last) return undefined;
  return Math.log(last.cpu / first.cpu) / Math.log(last.size / first.size);
}

/**
 * n log n is 1.1 between the sizes, and a product of two lengths is 2. Between them is what garbage collection adds: V8's
 * `JSON.parse` alone grows by 1.5 with an array of three million objects.
 */
export const MOST_EXPONENT = 1.6;
/** What is steep is measured so often before it is believed: neighbors on the machine and collections of garbage only add. */
export const MOST_ROUNDS = 3;
/** An exponent matters if the largest request takes longer, in milliseconds. */
const MATTERS_CPU_MS = 400;

/** Whether a cost grows with the size by far more than n log n. */
export function isSteep(points: readonly Point[], least?: number): boolean {
  return (exponentOf(points, least) ?? 0) > MOST_EXPONENT && points.at(-1)!.cpu > MATTERS_CPU_MS;
}

/** What was measured at each size; if it is steep, so often that it can be believed. */
export async function believed(measure: () => Promise<readonly Point[]>): Promise<readonly Point[]> {
  let points = await measure();
  for (let round = 1; isSteep(points) && round < MOST_ROUNDS; round++) points = await measure();
  return points;
}

/** Sizes from the smallest on, each a multiple of the one before, up to the largest. */
export function sizesUpTo(most: number, least: number, factor = 8): number[] {
  const sizes: number[] = [];
  for (let size = most; size >= least; size /= factor) sizes.unshift(Math.floor(size));
  return sizes;
}

/** The days in which a run each day has measured all. */
const SHARES = 56;
const DAY_MS = 86_400_000;

/**
 * Whether a request is measured, to be asked of one after the other: a run has one in so many, each day others, so that some weeks
 * have all. `ACCESSION_COST_FIRST` repeats the run of a day.
 *
 * @param rows a pattern of rows that are measured whole
 */
export function sampled(rows: string | undefined, shares = SHARES): () => boolean {
  if (rows !== undefined) return () => true;
  const first = Number(process.env.ACCESSION_COST_FIRST ?? Math.floor(Date.now() / DAY_MS)) % shares;
  console.log(`One in ${shares} is measured; ACCESSION_COST_FIRST=${first} repeats this run.`);
  let asked = 0;
  return () => asked++ % shares === first;
}
