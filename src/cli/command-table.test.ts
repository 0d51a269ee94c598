import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { readArguments } from './arguments.ts';
import { UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { completionScript, SHELLS } from './completion.ts';
import { helpOf, overview } from './help.ts';
import { manPage } from './man-page.ts';
import { tableText } from './print.ts';
import { progressText } from './progress.ts';

const ACCESSION = resolve(import.meta.dirname, '../../bin/accession.js');
const folder = mkdtempSync(join(tmpdir(), 'accession-commands-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function accession(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ACCESSION, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** A screen, as terminals are opened today. */
const LINES = 32;
const COLUMNS = 100;

test('every help fits a screen and has an example that the command accepts', () => {
  for (const command of COMMANDS) {
    const lines = helpOf(command).split('\n');
    assert.ok(lines.length <= LINES, `${command.name}: ${lines.length} lines`);
    for (const line of lines) {
      if (!line.startsWith(`  accession`)) assert.ok(line.length <= COLUMNS, `${command.name}: ${line}`);
    }
    assert.ok(command.example.startsWith(`accession ${command.name}`), command.name);
    const words = [...command.example.split(/ [<>|&]/)[0]!.matchAll(/'[^']*'|\S+/g)].map(([word]) =>
      word.replaceAll("'", ''),
    );
    readArguments(command, words.slice(1 + command.name.split(' ').length));
  }
  assert.ok(overview(COMMANDS).split('\n').length <= LINES);
  for (const { name } of COMMANDS)
    assert.match(overview(COMMANDS), new RegExp(`\\b${name.split(' ').at(-1)}\\b`));
});

test('a family of commands explains itself, and a missing file or secret is one sentence', () => {
  const family = accession('review', '--help');
  assert.equal(family.status, 0);
  assert.match(family.stdout, /^usage: accession review COMMAND[\s\S]*review defer +Put off/);
  assert.deepEqual(accession('review'), { ...family, status: 1, stdout: '', stderr: family.stdout });
  const missing = accession('validate', 'no-such-file');
  assert.deepEqual([missing.status, missing.stderr], [1, 'accession: no-such-file does not exist.\n']);
  assert.match(accession('hash-token').stderr, /^accession: Expected a secret, found none\./);
});

test('the overview, the help of a command and the release are printed', () => {
  assert.match(accession('--help').stdout, /Operators:[\s\S]*validate[\s\S]*review\s+list/);
  for (const args of [
    ['validate', '--help'],
    ['help', 'validate'],
    ['validate', '-h'],
  ]) {
    const { status, stdout } = accession(...args);
    assert.equal(status, 0);
    assert.match(stdout, /^usage: accession validate \[OPTIONS\] PATH\.\.\.[\s\S]*Example:/);
  }
});

const MISTAKES: [args: string[], hint: RegExp][] = [
  [['valdate'], /The command 'valdate' does not exist. Did you mean 'validate'\?/],
  [['schema', 'chek'], /The command 'schema chek' does not exist. Did you mean 'schema check'\?/],
  [['schema'], /schema check [\s\S]*schema merge [\s\S]*schema show /],
  [['validate', '--shema', 'x', 'y'], /The option --shema does not exist. Did you mean --schema\?/],
  [['validate', '--format', 'xml', 'y'], /--format: expected people, json, github, sarif, found 'xml'/],
  [['validate'], /The argument PATH is missing/],
  [['template', 'Person'], /The option --schema is missing/],
  [['completion', 'tcsh'], /expected bash, zsh, fish, found 'tcsh'/],
  [['check', folder, 'more'], /Unexpected argument 'more'/],
];

test('a wrong use ends with status 1 and a suggestion', () => {
  for (const [args, hint] of MISTAKES) {
    const { status, stdout, stderr } = accession(...args);
    assert.equal(status, 1, args.join(' '));
    assert.match(stderr, hint);
    assert.equal(stdout, '');
  }
});

test('a command cannot ask for a flag that it does not have', () => {
  const given = readArguments(COMMANDS.find(({ name }) => name === 'check')!, ['store']);
  assert.throws(() => given.is('colour'), /has no flag 'colour'/);
  assert.throws(() => readArguments(COMMANDS[0]!, ['--none']), UsageError);
});

test('completions complete commands, second words, options and values', () => {
  for (const shell of SHELLS) assert.match(completionScript(shell, COMMANDS), /accession/);
  const script = join(folder, 'completion.bash');
  writeFileSync(script, completionScript('bash', COMMANDS));
  const complete = (...words: string[]) =>
    execFileSync('bash', [
      '-c',
      `source ${script}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _accession; echo "\${COMPREPLY[@]}"`,
    ])
      .toString()
      .trim();
  assert.equal(complete('accession', 'vali'), 'validate');
  assert.equal(complete('accession', 'schema', 'm'), 'merge');
  assert.equal(complete('accession', 'validate', '--sch'), '--schema');
  assert.equal(complete('accession', 'review', 'accept', '--rea'), '--reason');
  assert.equal(complete('accession', 'validate', '--format', 's'), 'sarif');
});

test('the manual page has every command with its options', () => {
  const page = manPage(COMMANDS, '1.2.3');
  for (const { name, flags = {} } of COMMANDS) {
    assert.ok(page.includes(`.SS ${name.replaceAll('-', '\\-')}\n`), name);
    for (const flag of Object.keys(flags))
      assert.ok(page.includes(`\\-\\-${flag.replaceAll('-', '\\-')}`), flag);
  }
  for (const line of page.split('\n')) assert.match(line, /^(?:\.(?:TH|SH|SS|TP|PP|B|I|nf|fi)\b|[^.'])|^$/);
});

test('tables are aligned by characters and cut to the terminal', () => {
  const rows = [
    { a: 'é🎉', b: 'x'.repeat(30) },
    { a: 'long word', b: ['one', 'two'] },
  ];
  assert.equal(tableText(rows, ['a', 'b'], 20), `a          b\né🎉         xxxxxxxx…\nlong word  one, two\n`);
});

test('progress shows the rate and the time that is left', () => {
  assert.equal(
    progressText('records', 12_000, 3000, 100_000),
    '12,000 of 100,000 records, 4,000/s, 22 s left',
  );
  assert.equal(progressText('records', 500, 1000), '500 records, 500/s');
});

test('no progress is printed if standard error is not a terminal', () => {
  assert.equal(accession('hash-token', 'secret').stderr, '');
  assert.equal(
    accession('hash-token', 'secret').stdout,
    '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\n',
  );
});

test('a table shows control characters of values as escapes, so that they do not reach the terminal', () => {
  const rows = [
    { a: 'x\u001b[31m\u0007', b: ['\u009b2J', 'y'] },
    { a: { c: '\u007f' }, b: 'line\n1' },
  ];
  const shown = tableText(rows, ['a', 'b']);
  assert.match(shown, /^x\\u001b\[31m\\u0007 +\\u009b2J, y$/m);
  assert.match(shown, /^\{"c":"\\u007f"\} +line 1$/m);
  assert.doesNotMatch(shown.replaceAll('\n', ''), /[\u0000-\u001f\u007f-\u009f]/);
});
