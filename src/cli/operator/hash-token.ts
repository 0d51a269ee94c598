/** `accession hash-token`: the SHA-256 of a secret, as tokens with `hashed: true` keep it. */
import { createHash } from 'node:crypto';
import { UsageError } from '../outcome.ts';
import { write } from '../print.ts';
import { readSecret } from '../read-secret.ts';

export async function hashToken(): Promise<number> {
  const secret = await readSecret('Secret');
  if (secret === '') throw new UsageError('Expected a secret, found none.');
  await write(`${createHash('sha256').update(secret).digest('hex')}\n`);
  return 0;
}
