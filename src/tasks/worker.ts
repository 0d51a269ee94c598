/** What runs in the threads of `jobs/threads.ts`: the table of tasks, and the conversation about one of them. */
import { parentPort } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import type { Reply, Request } from '../work/threads.ts';

/** A task yields its results, and receives what the service sends for each. */
type Task = (input: never) => AsyncGenerator<unknown, unknown, never>;

const longRecords = () => import('./long-records.ts');

/** A thread loads what its tasks need: all of it takes longer than most tasks. */
const TASKS: Readonly<Record<string, () => Promise<Task>>> = {
  'judge body': async () => (await import('./judge-body.ts')).judgeBody,
  'write YAML': async () => (await longRecords()).yamlOf,
  'describe change': async () => (await longRecords()).changeOf,
  'write Turtle': async () => (await longRecords()).turtleText,
  'check record': async () => (await longRecords()).problemsOf,
  'find links': async () => (await longRecords()).linksOfLong,
};

let current: AsyncGenerator<unknown, unknown, never> | undefined;

parentPort?.on('message', (request: Request) => {
  answer(request).then(
    (reply) => parentPort?.postMessage(reply),
    (failure) => parentPort?.postMessage({ failure } satisfies Reply),
  );
});

async function answer(request: Request): Promise<Reply> {
  try {
    if ('end' in request) {
      await current?.return(undefined);
      return { done: true, value: undefined };
    }
    if ('task' in request) {
      const load = TASKS[request.task];
      if (!load) throw new Error(`There is no task '${request.task}'.`);
      const task = await load();
      current = task(request.input as never);
    }
    const { done = false, value } = await (current as NonNullable<typeof current>).next(
      ('next' in request ? request.next : undefined) as never,
    );
    return { done, value };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, problems, cause } = error;
    return { error: { code, message, problems, cause } };
  }
}
