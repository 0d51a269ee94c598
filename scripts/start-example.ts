/**
 * `npm start`: the service on the laboratory in `./data`, which is made if it does not exist.
 *
 *     npm start -- --port 9000
 */
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../src/cli/main.ts';
import { DEMO, demoText } from '../src/cli/operator/demo.ts';
import { createStore, UNFINISHED } from '../src/cli/operator/init.ts';
import { reportError } from '../src/cli/outcome.ts';
import { runningService } from '../src/core/config/store-directory.ts';

const STORE = 'data';

const port = portFlag();
const running = runningService(STORE);
if (running && (await responds(running.url))) {
  process.stdout.write(`The example store already runs: ${running.url} (process ${running.process}).\n`);
  process.exit(0);
}
if (await isTaken(Number(port))) {
  process.stderr.write(
    `Port ${port} of this machine is in use by another program. Stop it, or choose another port:\n\n  npm start -- --port 9000\n`,
  );
  process.exit(1);
}
if (existsSync(join(STORE, UNFINISHED))) rmSync(STORE, { recursive: true });
if (!existsSync(STORE)) await makeLaboratory();
await run(['serve', STORE, '--port', port]);
if (process.exitCode === undefined) {
  process.stdout.write(`
${demoText(`http://127.0.0.1:${port}`)}
Stop with Ctrl-C. The records stay in ./${STORE}; delete it to start over.
`);
}

async function makeLaboratory(): Promise<void> {
  process.stdout.write(`Making the laboratory in ./${STORE} …\n`);
  try {
    await createStore(STORE, { collection: DEMO, demo: true });
  } catch (error) {
    process.exit(reportError(error));
  }
}

/** Whether a service responds at a URL. */
async function responds(url: string): Promise<boolean> {
  const response = await fetch(`${url}/-/health`, { signal: AbortSignal.timeout(2000) }).catch(
    () => undefined,
  );
  return response !== undefined;
}

/** Whether another program listens on a port. Of a number that is not a port, `serve` reports what is wrong. */
async function isTaken(port: number): Promise<boolean> {
  if (!(port > 0 && port < 65536)) return false;
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  } finally {
    server.close();
  }
}

function portFlag(): string {
  try {
    return parseArgs({ options: { port: { type: 'string', default: '8000' } } }).values.port;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\nusage: npm start [-- --port PORT]\n`);
    process.exit(2);
  }
}
