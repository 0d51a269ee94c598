import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorTime } from '../test/processor-time.ts';
import { compileRegex } from './patterns/patterns.ts';

/** Pattern, texts that it finds, texts that it does not. What Python's `re.search` says. */
const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['^[a-z]+$', ['abc', 'abc\n'], ['', 'abc1', 'ab\ncd', 'éa', 'abc\n\n']],
  ['[0-9]{2}', ['12', 'a12b'], ['1']],
  ['^\\d{2}/\\d{2}\\Z', ['01/02', '٠١/٠٢'], ['01/02\n']],
  ['^\\w+$', ['héllo', '漢字', 'a_1'], ['a b', 'a-b']],
  ['^[\\w.-]+$', ['é.-_'], ['a b']],
  ['^[^\\W\\d_]+$', ['Zoë'], ['a1', 'a_']],
  ['^[^\\S\\r\\n]+$', [' \t', '\u00a0'], ['a', '\n ']],
  ['^[\\s\\S]$', ['\n', 'a'], ['']],
  ['^\\S+@\\S+$', ['a@b'], ['a @b']],
  ['(?i)abc', ['xABCx'], ['ab']],
  ['(?x) a b  # two letters', ['ab'], ['a b']],
  ['^a{,2}$', ['', 'aa'], ['aaa']],
  ['^(?P<year>\\d{4})$', ['2024'], ['24']],
  ['^[]a]+$', [']a'], ['b']],
  ['^\\u00e9\\x41$', ['éA'], ['eA']],
  ['^(?!https?://|doi:).+$', ['10.5/x'], ['http://a', 'doi:1']],
  ['(?i)^(?!doi:).+$', ['10.5/x'], ['DOI:1']],
  ['^(?=.*\\d)(?=.*[a-z]).{4,}$', ['abc1'], ['abcd', 'ab1']],
  ['(\\d)\\1', ['a11'], ['12']],
  ['^(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\\10$', ['abcdefghijj'], ['abcdefghija0']],
  ['^[a-z]++$', ['abc', 'abc\n'], ['', 'ab1']],
  ['^a*+ab', [], ['aab']],
  ['^(?:ab|a){1,2}+b', ['ababb'], ['abab']],
  ['^(?>a|ab)c', ['ac'], ['abc']],
  ['^(x)(?>(\\d)+)\\1\\2$', ['x12x2'], ['x12x1', 'x123']],
  ['^(?x: a b )c d$', ['abc d'], ['abcd']],
  ['(?<=a)b', ['ab'], ['cb']],
  ['a(?!b)', ['ac', 'a'], ['ab']],
  ['^a.b$', ['a\rb', 'a\u2028b', 'a😀b'], ['a\nb']],
  ['^a.(?!c)', ['a\rb'], ['a\nb']],
  ['(?s)^a.b$', ['a\nb'], ['ab']],
  ['^(?s:a.)b.$', ['a\nbc'], ['a\nb\n']],
];

test('patterns find what Python finds', () => {
  for (const [pattern, found, missed] of rows) {
    // Whichever engine tests a text.
    for (const quickest of [-1, 100]) {
      const { test: matches } = compileRegex(pattern, quickest);
      for (const text of found) assert.ok(matches(text), `${pattern} finds ${JSON.stringify(text)}`);
      for (const text of missed)
        assert.ok(!matches(text), `${pattern} does not find ${JSON.stringify(text)}`);
    }
  }
});

test('no text makes a pattern take long', () => {
  const traps = [
    '^(a+)+$',
    '(a|aa)+$',
    '(a*)*b',
    '^(?=(a+)+b)a',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(a+)+\\1$',
    '^(a|b|ab)*(?=c)$',
    '^(?:a++)+$',
    '(?>a+)+b',
    '^(?:a|a)*(?=c)$',
    '^(?:aa?)*(?=c)$',
    '^(?:a{1,2})*(?=c)$',
    '(a?){40}b\\1$',
    '((a?){5}){8}b\\2$',
    '(a?b?c?d?){8}(x)\\2',
    '(.)\\1*\\1*\\1*b',
    '([\\s\\W!])*(?=x)$',
    '(?:(?=(a+))a*?)*b\\1',
  ];
  for (const pattern of traps) {
    const { test: matches, limit } = compileRegex(pattern);
    for (const length of [12, 18, 30, 100, limit - 1, 10_000, 1_000_000]) {
      const time = processorTime(() => matches(`${'a'.repeat(Math.max(0, length))}!`));
      assert.ok(time < 2000, `${pattern} on ${length} characters`);
    }
  }
});

test('a pattern that needs backtracking says how long a text may be', () => {
  assert.equal(compileRegex('^a+$').reason, undefined);
  const { limit, reason } = compileRegex('(a+)+\\1');
  assert.ok(limit < 30);
  // It ends: four ways to go on at each character.
  const ambiguous = compileRegex('(a|a|a|a)*b\\1');
  assert.equal(ambiguous.test('a'.repeat(ambiguous.limit)), false);
  assert.match(reason!, /backreference/);
});

test('the limit of a pattern follows from the number of paths through it', () => {
  const harmless = [
    '^[Hh][Tt][Tt][Pp][Ss]?:\\/\\/(?!.*[Dd][Oo][Ii]\\.[Oo][Rr][Gg]).*$',
    '^(?:(?!foo).)*$',
    '(?<!\\d)\\d{4}(?!\\d)',
    '^[A-Z]{2}\\d{2}(?:\\s?[A-Z0-9]{4}){2,7}(?!x)',
    '(?i)^a(?!b).*',
  ];
  for (const pattern of harmless) assert.equal(compileRegex(pattern).limit, 10_000, pattern);
  const quadratic = ['(\\d)\\1', '^(\\w+)-\\1$', '^(x)?(?:,\\1)*$', '^(?:a++)+$', '^.*.*(?=x)'];
  for (const pattern of quadratic) assert.ok(compileRegex(pattern).limit > 2000, pattern);
  const exponential = ['(a?){40}b\\1', '((a?){5}){8}b\\2', '(a*)*b\\1', '(a|b)*\\1'];
  for (const pattern of exponential) assert.ok(compileRegex(pattern).limit < 20, pattern);
  assert.ok(compileRegex('(a?){0,40}b\\1').limit > 500);
});

test('patterns that only Python supports are distinguished from invalid ones', () => {
  for (const pattern of ['(a)?(?(1)b|c)', '[^\\Wa]', '(a?|b?|c?){40}\\1'])
    assert.throws(() => compileRegex(pattern), { obstacle: 'unsupported' }, pattern);
});

test('an invalid regular expression is refused', () => {
  for (const pattern of ['(a', 'a)', '[a', '\\', '(?z)', '\\p{L}'])
    assert.throws(() => compileRegex(pattern), { obstacle: 'malformed' }, pattern);
});
