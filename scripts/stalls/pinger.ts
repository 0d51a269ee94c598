/**
 * A process that pings services at 20 Hz, and reports the longest answer of each when its parent asks for it. It shares
 * no event loop with them, so what it measures is how long every other client waits.
 */
import { request } from 'node:http';

const PERIOD_MS = 50;
const urls = process.argv.slice(2);
const longest = new Map(urls.map((url) => [url, 0]));
const waiting = new Map<string, Set<number>>(urls.map((url) => [url, new Set()]));

function ping(url: string): void {
  const began = performance.now();
  const open = waiting.get(url) as Set<number>;
  open.add(began);
  // A connection of its own for each: a ping does not wait for the one before it.
  const sent = request(url, { agent: false }, (response) => response.resume().on('end', done));
  sent.on('error', done).end();
  function done(): void {
    open.delete(began);
    note(url, performance.now() - began);
  }
}

function note(url: string, milliseconds: number): void {
  longest.set(url, Math.max(longest.get(url) ?? 0, milliseconds));
}

setInterval(() => urls.forEach(ping), PERIOD_MS);
process.on('message', () => {
  const now = performance.now();
  // A ping that is still not answered has waited, too.
  for (const [url, open] of waiting) for (const began of open) note(url, now - began);
  process.send?.(urls.map((url) => Math.round(longest.get(url) ?? 0)));
  for (const url of urls) longest.set(url, 0);
});
process.on('disconnect', () => process.exit());
