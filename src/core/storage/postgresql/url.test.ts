/** URLs of databases: what is refused at once, and what the driver gets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgresqlDatabase } from './postgresql.ts';
import { requireDatabaseUrl } from './url.ts';

const REFUSED: readonly (readonly [url: string, message: RegExp])[] = [
  ['accession', /has no scheme, expected postgresql:\/\/USER@HOST\/DATABASE/],
  ['host=a,b dbname=c', /has no scheme/],
  ...[
    'postgresql://a,b/db',
    'postgres://user:secret@a,b/db',
    'postgresql://user:se%40cret@a:5432,b:5433/db?sslmode=require',
    'postgresql://user:se@cret@a,b/db',
    'postgresql://a%2Cb/db',
    'postgresql://[::1],[::2]:5433/db',
    'postgresql://[::1]:5432,b',
    'postgresql:///db?host=a,b',
    'postgresql://a/db?host=a%2Cb&target_session_attrs=read-write',
    'postgresql:///db?host=a&host=b,c',
    'postgresql:///db?host=/tmp,/var/run&port=1,2',
    'postgresql://a/db?port=5432,5433',
    'postgresql:///db?hostaddr=10.0.0.1,10.0.0.2',
  ].map((url) => [url, /has a list of hosts, expected one\. Name a proxy/] as const),
  ...['read-only', 'standby', 'prefer-standby', ''].map(
    (value) =>
      [
        `postgresql://a/db?target_session_attrs=${value}`,
        /target_session_attrs, expected the primary server.* Remove the parameter\./,
      ] as const,
  ),
  ['postgresql://user:secret@a:port/db', /cannot be read: Invalid URL\.$/],
  ['postgresql://a/db?sslrootcert=/nowhere/root.crt', /cannot be read: ENOENT/],
];

test('URLs that the driver would misread are refused before a connection is tried, without their passwords', async () => {
  for (const [url, message] of REFUSED)
    await assert.rejects(openPostgresqlDatabase(url), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'config_invalid', url);
      assert.match(error.message, message, url);
      assert.doesNotMatch(error.message, /se(@|%40)?cret/, url);
      return true;
    });
});

test('other URLs are accepted, commas in other parts included', () => {
  for (const url of [
    'postgresql://user:p,w@a:5432/d,b?options=-c%20search_path%3Da,b',
    'postgres://a/db?target_session_attrs=read-write',
    'postgresql://a/db?target_session_attrs=primary&sslmode=disable',
    'postgresql:///db?host=/tmp',
    'postgresql://%2Ftmp/db',
    'postgresql://[::1]:5433/db',
    'socket:/tmp?db=db',
    '/tmp db',
  ])
    assert.doesNotThrow(() => requireDatabaseUrl(url), url);
});
