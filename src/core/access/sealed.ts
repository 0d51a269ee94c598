/** Values that only the holder of a key can read or change: cookies, what an issuer has given for a session, numbers in cursors. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param secret 192 random bits or more, as text */
export function seal(secret: string, use: string, value: object): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyFor(secret, use), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** The value; undefined for anything that was not sealed with the secret for the same use. */
export function unseal<T extends object>(secret: string, use: string, text: string): T | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, keyFor(secret, use), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const value = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return JSON.parse(Buffer.concat(value).toString()) as T;
  } catch {
    return undefined;
  }
}

function keyFor(secret: string, use: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `accession ${use}`, 32));
}
