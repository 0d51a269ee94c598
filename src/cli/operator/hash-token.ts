/** `accession config hash-token`: the SHA-256 of a secret, as tokens with `hashed: true` keep it. */
import { sha256 } from '../../access/config-tokens.ts';
import { UsageError } from '../outcome.ts';
import { write } from '../print.ts';
import { readSecret } from '../read-secret.ts';

export async function hashToken(): Promise<number> {
  const secret = await readSecret('Secret');
  if (secret === '') throw new UsageError('Expected a secret, found none.');
  await write(`${sha256(secret)}\n`);
  return 0;
}
