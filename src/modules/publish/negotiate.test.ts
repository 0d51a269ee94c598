import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preferredType } from './negotiate.ts';

const TYPES = ['text/html', 'text/turtle', 'application/ld+json'] as const;

const ROWS: readonly (readonly [accept: string | undefined, type: string | undefined])[] = [
  [undefined, 'text/html'],
  ['', 'text/html'],
  ['*/*', 'text/html'],
  ['text/*', 'text/html'],
  ['application/*', 'application/ld+json'],
  ['text/turtle', 'text/turtle'],
  ['TEXT/Turtle; charset=utf-8', 'text/turtle'],
  ['text/turtle;q=0.5, application/ld+json;q=0.9', 'application/ld+json'],
  ['text/*;q=0.3, text/html;q=0.1, */*;q=0.2', 'text/turtle'],
  ['text/html;q=0, */*;q=0.1', 'text/turtle'],
  ['text/turtle;q=0.7,application/ld+json;profile="x";q=0.8', 'application/ld+json'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['text/turtle;q=0', undefined],
  ['application/pdf', undefined],
  ['*/*;q=0', undefined],
  ['nonsense', 'text/html'],
];

test('the media type with the highest weight of its most specific range is preferred', () => {
  for (const [accept, type] of ROWS) assert.equal(preferredType(accept, TYPES), type, accept ?? 'none');
});
