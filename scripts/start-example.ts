/**
 * `npm start`: the service on the example store in `./data`, which is made when it is not there.
 *
 *     npm start -- --port 9000
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { curated, type ExampleRecord, edits, incoming } from '../examples/laboratory/records.ts';
import { openApp } from '../src/app.ts';
import { run } from '../src/cli/main.ts';
import { runningService } from '../src/cli/operator/running.ts';
import { version } from '../src/cli/version.ts';

const STORE = 'data';
const CONFIG = 'examples/laboratory/config.yaml';
/** Stands in the store until all records are in it, so that an interrupted first run is started over. */
const UNFINISHED = join(STORE, '.unfinished');

/** The secrets of `config.yaml`. They are public: the example is for this machine only. */
const TOKENS = {
  reader: 'lab-reader',
  submitter: 'lab-submitter',
  curator: 'lab-curator',
  admin: 'lab-admin',
};

const port = portFlag();
const running = runningService(STORE);
if (running && (await responds(running.url))) {
  process.stdout.write(`The example store already runs: ${running.url} (process ${running.process}).\n`);
  process.exit(0);
}
if (existsSync(UNFINISHED)) rmSync(STORE, { recursive: true });
if (!existsSync(STORE)) await fill();
await run(['serve', STORE, '--port', port]);
if (process.exitCode === undefined) introduce(`http://127.0.0.1:${port}`);

/** Whether a service responds at a URL. */
async function responds(url: string): Promise<boolean> {
  const response = await fetch(`${url}/-/health`, { signal: AbortSignal.timeout(2000) }).catch(
    () => undefined,
  );
  return response !== undefined;
}

function portFlag(): string {
  try {
    return parseArgs({ options: { port: { type: 'string', default: '8000' } } }).values.port;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\nusage: npm start [-- --port PORT]\n`);
    process.exit(2);
  }
}

/** Makes the store through the service's own interface, as its curators and submitters do. */
async function fill(): Promise<void> {
  process.stdout.write(`Making the example store in ./${STORE} …\n`);
  mkdirSync(STORE);
  writeFileSync(UNFINISHED, '');
  const logger = pino({ level: 'error' });
  const app = await openApp({ store: STORE, configFile: CONFIG, version: version(), logger });
  const post = async (area: string, token: string, { className, record, message }: ExampleRecord) => {
    const query = message === undefined ? '' : `?message=${encodeURIComponent(message)}`;
    const answer = await app.server.inject({
      method: 'POST',
      url: `/laboratory${area}/record/${className}${query}`,
      headers: { 'x-service-token': token },
      payload: record,
    });
    if (answer.statusCode !== 200) throw new Error(`${record.pid}: ${answer.statusCode} ${answer.body}`);
  };
  try {
    for (const item of curated) await post('/curated', TOKENS.curator, item);
    for (const [label, items] of Object.entries(incoming)) {
      for (const item of items) await post('', `lab-${label}`, item);
    }
    for (const item of edits) await post('/curated', TOKENS.curator, item);
  } finally {
    await app.close();
  }
  rmSync(UNFINISHED);
}

function introduce(address: string): void {
  const laboratory = `${address}/laboratory`;
  const json = "-H 'Content-Type: application/json'";
  const person = '{"pid": "labid:person-grace-hopper", "name": "Grace Hopper", "family_name": "Hopper"}';
  process.stdout.write(`
The example store of Accession: ${address}
The desk, to open in a browser: ${address}/-/desk/
Interactive documentation:      ${address}/docs

Tokens${Object.entries(TOKENS)
    .map(([name, token]) => `\n  ${name.padEnd(10)} ${token}`)
    .join('')}

Read the first three persons:
  curl -H 'X-Service-Token: ${TOKENS.reader}' '${laboratory}/records/p/Person?size=3'

Submit one of your own:
  curl -H 'X-Service-Token: ${TOKENS.submitter}' ${json} -d '${person}' '${laboratory}/record/Person?add_submission_tag=true'

See what was submitted, as a curator:
  curl -H 'X-Service-Token: ${TOKENS.curator}' '${laboratory}/incoming/submitter/records/'

Stop with Ctrl-C. The records stay in ./${STORE}; delete it to start over.
`);
}
