/** `accession hash-token`: the SHA-256 of a secret, as tokens with `hashed: true` keep it. */
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type Given, UsageError } from './command.ts';
import { write } from './print.ts';

/** Run by the table of commands. Without an argument the secret is read from standard input, which no list of processes shows. */
export async function hashToken(given: Given): Promise<number> {
  const secret = given.args[0] ?? (await text(process.stdin)).replace(/\r?\n$/, '');
  if (secret === '') throw new UsageError('Expected a secret, found none.');
  await write(`${createHash('sha256').update(secret).digest('hex')}\n`);
  return 0;
}
