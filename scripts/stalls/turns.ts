/**
 * Loaded into the service: writes the longest time that the event loop was not free, in processor time of the main thread, to
 * the file of `ACCESSION_TURNS`. Other programs on the machine make pings longer, but not this.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const PERIOD_MS = 5;
const file = process.env.ACCESSION_TURNS;

if (isMainThread && file !== undefined) {
  const now = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let longest = 0;
  let last = now();
  setInterval(() => {
    const turn = now() - last;
    last += turn;
    longest = Math.max(longest, turn);
  }, PERIOD_MS).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(file, String(Math.round(longest)));
    longest = 0;
  });
}
