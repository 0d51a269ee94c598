import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preferredCoding } from './content-codings.ts';

const ROWS: readonly (readonly [accepted: string | undefined, coding: string])[] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, br', 'br'],
  ['*', 'br'],
  ['deflate, zstd', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip;Q=0.5', 'gzip'],
  ['gzip ; q=1.0 , br ; q=0.2', 'gzip'],
  ['br;q=0.5, gzip;q=0.501', 'gzip'],
  ['gzip;q=0', 'identity'],
  ['gzip;q=0, *', 'br'],
  ['gzip;q=0.000, *;q=0.001', 'br'],
  ['br;q=0, gzip;q=0, *', 'identity'],
  ['br;q=0, *;q=0.3', 'gzip'],
  ['*;q=0', 'identity'],
  ['*;q=0, gzip;q=0.1', 'gzip'],
  ['identity;q=0', 'identity'],
  ['identity;q=0, gzip;q=0.2', 'gzip'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0.5, *;q=0.4', 'identity'],
  ['identity;q=0.4, *;q=0.5', 'br'],
  ['gzip;q=0.8, br;q=0.8, identity;q=0.2', 'br'],
  ['gzip;q=nonsense', 'identity'],
  [',, gzip', 'gzip'],
];

test('a response has the coding that the client wants most', () => {
  for (const [accepted, coding] of ROWS) assert.equal(preferredCoding(accepted), coding, accepted ?? 'none');
});
