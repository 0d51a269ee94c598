/** What runs in the threads of `jobs/threads.ts`: the table of tasks, and the conversation about one of them. */
import { parentPort } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import type { Reply, Request } from '../jobs/threads.ts';
import { checkpointArea, closeArea, makeArea } from './areas.ts';
import { judgeBody } from './judge-body.ts';
import {
  changeOf,
  jsonOfYaml,
  linksOfLong,
  matches,
  problemsOf,
  signatureOf,
  turtleText,
  yamlOf,
} from './long-records.ts';
import { writeRecords } from './write-records.ts';

/** A task yields its results, and receives what the service sends for each. */
type Task = (input: never) => AsyncGenerator<unknown, unknown, never>;

const TASKS: Readonly<Record<string, Task>> = {
  'judge body': judgeBody,
  'write records': writeRecords,
  'write YAML': yamlOf,
  'read YAML': jsonOfYaml,
  'describe change': changeOf,
  'write Turtle': turtleText,
  'check record': problemsOf,
  'find links': linksOfLong,
  'match record': matches,
  'sign text': signatureOf,
  'make area': makeArea,
  'close area': closeArea,
  'checkpoint area': checkpointArea,
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
      const task = TASKS[request.task];
      if (!task) throw new Error(`There is no task '${request.task}'.`);
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
