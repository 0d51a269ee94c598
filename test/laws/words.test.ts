/**
 * The wording of everything that people read: the documents, the help texts, the messages, the comments. The phrases
 * below read as if translated; beside each stands what to write instead.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

const LONGEST_SENTENCE = 40;

/** Phrase → what to write instead. */
const REPLACE: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?<!there )(?:is|are|was|were) no (?!longer\b|more\b|less\b)[a-z]/i,
    'is not a …, has no …, does not exist',
  ],
  [/\banew\b/i, 'again, rebuild'],
  [/\b(?:told|tells?)\b/i, 'report, warn, log, list, return, explain'],
  [/\b(?:nobody|whoever)\b/i, 'no client, another process, the caller'],
  [/\bby and by\b/i, 'gradually, in the background'],
  [/\bunder way\b/i, 'in progress'],
  [/\bin good order\b/i, '(name it)'],
  [/\bthe one or the other\b/i, '(name it)'],
  [/\bcan not\b/i, 'cannot'],
  [/\b(?:Is|Are) \S+ meant\?/, 'Did you mean …?'],
  [/\blets? go of\b/i, 'releases, removes'],
  [
    /\b(?:takes?|taken|took) (?:in|over)\b(?! (?:a|the|turns|place|memory|cache|order|which))/i,
    'adopts, imports, accepts, copies',
  ],
  [/\b(?:hears?|speaks?) of\b/i, 'is informed of, mentions'],
  [/\bgives? back\b/i, 'returns'],
  [/\bthe truth\b/i, 'the authoritative copy'],
  [/\borganisations?\b/i, 'organization'],
  [/\bwhat (?:is|stands) (?:there|in it)\b/i, '(name it)'],
  [/\ba text\b/i, 'a string'],
];

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...globSync(['docs/**/*.md', 'src/modules/*/README.md', 'packages/*/README.md', 'test/README.md'], {
    cwd: root,
  }),
].filter((name) => existsSync(resolve(root, name)));
const sources = globSync('{packages/*/src,src,ui,bin,scripts}/**/*.{ts,tsx,js}', { cwd: root }).filter(
  (file) => !/\.(?:test|contract|support|bench)\.tsx?$/.test(file),
);

/** A message, in the source: it starts with a capital or with where (a path or key), and ends like a sentence. */
const SENTENCE = /^(?:[A-Z]|\$\{|\\?`|--|[a-z_]+[.:])[\s\S]*(?:[.?)]|\})$/;
const CONTRACTION = /\b(?:can|don|isn|won|doesn)\\?'t\b/;

const read = (file: string) => readFileSync(resolve(root, file), 'utf8');

/** A document without what it quotes: code and the names of files. */
function prose(markdown: string): string {
  return markdown
    .replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ''))
    .replace(/`[^`\n]*`/g, 'x')
    .replace(/\]\([^)]*\)/g, ']');
}

/** Every line with one of the phrases, as `file:line: phrase → replacement`. */
function findings(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    REPLACE.flatMap(([phrase, instead]) => {
      const found = phrase.exec(line)?.[0];
      return found === undefined ? [] : [`${file}:${index + 1}: '${found}' → ${instead}`];
    }),
  );
}

/** The sentences of a document; a row of a table, an item of a list and a heading end one as well. */
function sentences(markdown: string): string[] {
  return prose(markdown)
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.)\s?)|\||<br>/)
    .flatMap((block) => block.replace(/\s+/g, ' ').split(/(?<=[.!?:;])\s+(?=[\p{Lu}`*\d[])/u))
    .map((sentence) => sentence.trim());
}

describe('the words', () => {
  test('of the documents are those of the trade', () => {
    assert.deepEqual(
      documents.flatMap((file) => findings(file, prose(read(file)))),
      [],
    );
  });

  test('of the changelog are there once: a rebase keeps both sides of a line that two changes edited', () => {
    const starts = (read('CHANGELOG.md').match(/^- .*$/gm) ?? []).map((line) => line.slice(0, 40));
    assert.deepEqual(
      starts.filter((start, index) => starts.indexOf(start) !== index),
      [],
    );
  });

  test('of messages, help texts and comments, too', () => {
    assert.deepEqual(
      sources.flatMap((file) => findings(file, read(file))),
      [],
    );
  });

  test(`of a sentence are at most ${LONGEST_SENTENCE}`, () => {
    const long = documents.flatMap((file) =>
      sentences(read(file))
        .filter((sentence) => sentence.split(' ').length > LONGEST_SENTENCE)
        .map((sentence) => `${file}: ${sentence}`),
    );
    assert.deepEqual(long, []);
  });

  test('of an error message are a sentence: a capital or a path at its start, a full stop at its end', () => {
    const thrown =
      /new ServiceError\(\s*'\w+',\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)\s*[,)]/g;
    const odd = sources.flatMap((file) =>
      [...read(file).matchAll(thrown)]
        .map(([, literal = '']) => literal.slice(1, -1))
        .filter((message) => !SENTENCE.test(message) || CONTRACTION.test(message))
        .map((message) => `${file}: ${message}`),
    );
    assert.deepEqual(odd, []);
  });

  test('of a log line are fixed: lower case, no values in it, no full stop', () => {
    const logged = /\blog(?:ger)?!?\.(?:warn|error|info|debug)\([^;]*?('[^'\n]*'|`[^`]*`)\s*,?\s*\)/g;
    const odd = sources.flatMap((file) =>
      [...read(file).matchAll(logged)]
        .map(([, literal = '']) => literal)
        .filter((literal) => /^`|^'[A-Z][a-z]|\.'$/.test(literal))
        .map((literal) => `${file}: ${literal}`),
    );
    assert.deepEqual(odd, []);
  });
});
