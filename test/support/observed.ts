import type { TestService } from './app.ts';

/** What a request did: tasks that were started in threads, and how often the event loop turned meanwhile. */
export async function observed<T>(
  { app: { pool } }: TestService,
  work: () => Promise<T>,
): Promise<{ answer: T; tasks: number; turns: number }> {
  const { started } = pool;
  let turns = 0;
  let isDone = false;
  const counting = (async () => {
    for (; !isDone; turns++) await new Promise((turn) => setImmediate(turn));
  })();
  const answer = await work().finally(() => {
    isDone = true;
  });
  await counting;
  return { answer, tasks: pool.started - started, turns };
}
