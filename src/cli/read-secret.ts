/** Reads a secret where no list of processes and no history of a shell shows it. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** From the terminal without showing it, else from standard input, without the end of the line. */
export async function readSecret(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  process.stderr.write(`${prompt}: `);
  const answer = await new Promise<string>((done) => terminal.question('', done));
  terminal.close();
  process.stderr.write('\n');
  return answer;
}
