/** What every command has: a line in the overview, a page of help, an example, and answers to mistakes. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { commandReference } from '../../scripts/command-reference.ts';
import { addCommand } from '../../src/cli/command.ts';
import { allCommands } from '../../src/cli/main.ts';
import { tableText } from '../../src/cli/print.ts';
import { progressText } from '../../src/cli/progress.ts';
import { accession, scratch } from './accession.ts';
import { type CommandLine, commandLines } from './command-lines.ts';

/** A screen, as terminals are opened today. */
const LINES = 55;
const COLUMNS = 80;

function pageOf(command: CommandLine['command']): string {
  let page = '';
  const { outputError } = command.configureOutput();
  command.configureOutput({
    writeOut: (text) => (page += text),
    getOutHelpWidth: () => COLUMNS,
    outputError,
  });
  command.outputHelp();
  return page;
}

describe('every command', () => {
  for (const { name, command } of commandLines(allCommands())) {
    test(`${name} has a page that fits a screen, with an example that it accepts`, async () => {
      const page = pageOf(command);
      assert.match(page, new RegExp(`^Usage: accession ${name}[ |]`));
      const lines = page.split('\n');
      assert.ok(lines.length <= LINES, `${lines.length} lines`);
      const example = /^ {2}(accession .*)$/m.exec(page)?.[1] ?? '';
      assert.ok(example.startsWith(`accession ${name} `), page);
      for (const line of lines) assert.ok(line.length <= COLUMNS || line.includes(example), line);
      const words = [...example.split(/ [<>|&]/)[0]!.matchAll(/'[^']*'|\S+/g)].map(([word]) =>
        word.replaceAll("'", ''),
      );
      let root = command;
      while (root.parent) root = root.parent;
      const parsed: unknown[] = [];
      command.action((...given) => void parsed.push(given));
      await root.parseAsync(words.slice(1), { from: 'user' });
      assert.equal(parsed.length, 1);
    });
  }

  test('has a line in the overview, below the heading of its room', async () => {
    const { status, stdout } = await accession(['help']);
    assert.equal(status, 0);
    assert.match(
      stdout,
      /Operate a service[\s\S]*serve[\s\S]*Work with a service[\s\S]*login[\s\S]*Work with files/,
    );
    for (const { name } of commandLines(allCommands()))
      assert.match(stdout, new RegExp(`^ {2}${name.split(' ')[0]} `, 'm'));
    for (const line of stdout.split('\n')) assert.ok(line.length <= COLUMNS, line);
    assert.deepEqual(await accession(['--help']), await accession(['help']));
    assert.match((await accession(['help', 'schema', 'check'])).stdout, /^Usage: accession schema check /);
  });
});

test('modules add commands for users of a service and for files, each below the heading of the others', () => {
  const program = allCommands([
    {
      name: 'marks',
      addClient: (program) => void addCommand(program, 'mark', 'Mark a record.', 'accession mark'),
      addOffline: (program) => void addCommand(program, 'ink', 'Mix ink.', 'accession ink'),
    },
  ]);
  assert.match(
    pageOf(program as unknown as CommandLine['command']),
    /Work with a service[\s\S]*api[\s\S]* mark +Mark a record[\s\S]*Work with files[\s\S]* ink +Mix ink/,
  );
});

test('docs/commands.md lists the commands; npm run docs:commands writes it', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/commands.md'), 'utf8');
  assert.equal(page, commandReference());
});

test('without a command, the overview is an error; of a group, its commands', async () => {
  const overview = await accession(['help']);
  assert.deepEqual(await accession([]), { status: 1, stdout: '', stderr: overview.stdout });
  const group = await accession(['schema', '--help']);
  assert.match(group.stdout, /^Usage: accession schema [\s\S]*merge +/);
  assert.deepEqual(await accession(['schema']), { status: 1, stdout: '', stderr: group.stdout });
});

const MISTAKES: [args: string[], hint: RegExp][] = [
  [['valdate'], /unknown command 'valdate'\n\(Did you mean validate\?\)\n'accession help' explains it\./],
  [['valdate', '--help'], /Did you mean validate\?/],
  [['help', 'valdate'], /Did you mean validate\?/],
  [['help', 'schema', 'chek'], /Did you mean check\?/],
  [
    ['schema', 'chek'],
    /unknown command 'chek'\n\(Did you mean check\?\)\n'accession help schema' explains it/,
  ],
  [['schema'], /check [\s\S]*merge [\s\S]*generate /],
  [['validate', '--shema', 'x', 'y'], /unknown option '--shema'\n\(Did you mean --schema\?\)/],
  [['validate', '--format', 'xml', 'y'], /'xml' is invalid. Allowed choices are people, json, github/],
  [['validate'], /missing required argument 'path'\n'accession help validate' explains it/],
  [['validate', 'no-such-file'], /^accession: no-such-file does not exist\.$/m],
  [['check', 'store', 'more'], /too many arguments for 'check'/],
  [['check', 'no-such-store'], /no-such-store/],
  [['restore', 'no-such-file', 'data'], /no-such-file does not exist/],
  [['list', 'laboratory'], /No service is known[\s\S]*'accession help list' explains it/],
  [['list', 'http://127.0.0.1:9', 'laboratory', '--limit', 'x'], /'x' is invalid. Expected a whole number/],
  [['hash-token'], /^accession: Expected a secret, found none\./],
  [['hash-token', 'secret'], /too many arguments/],
  [['serve'], /Expected a store or --database-url/],
  [['serve', 'x', '--port', '70000'], /whole number from 0 to 65535/],
  [['serve', 'x', '--limit', 'bodies=3'], /Expected NAME=NUMBER with requests, /],
  [['serve', 'x', '--limit', 'body-mib=101'], /whole number from 1 to 100/],
  [['serve', 'x', '--max-requests', '0'], /Expected a whole number from 1 to 1000000/],
  [['serve', 'x', '--metrics-token-hash', 'x'], /Use the variable ACCESSION_METRICS_TOKEN/],
  [
    ['schema', 'generate', 'owl', 'x'],
    /The value 'owl' of 'format' is invalid. Allowed choices are typescript, json-schema/,
  ],
];

test('a mistake ends with status 1 and says what to do', async (t) => {
  const env = { XDG_CONFIG_HOME: scratch(t), ACCESSION_URL: undefined };
  for (const [args, hint] of MISTAKES) {
    const { status, stdout, stderr } = await accession(args, { env });
    assert.equal(status, 1, args.join(' '));
    assert.match(stderr, hint);
    assert.equal(stdout, '');
    assert.doesNotMatch(stderr, /\n +at /, 'no stack');
  }
});

test('a command of an earlier release ends with status 2 and names what replaces it', async () => {
  for (const words of [['check-pids', 'x'], ['check-database', 'x', '--json'], ['rebuild-index'], ['man']]) {
    const { status, stderr } = await accession(words);
    assert.deepEqual([status, /was removed: .*'accession /.test(stderr)], [2, true], stderr);
  }
});

test('the URL of a service may be an option, or come before the arguments', async (t) => {
  const folder = scratch(t);
  mkdirSync(join(folder, 'accession'));
  const nowhere = 'http://127.0.0.1:9';
  for (const args of [
    ['list', nowhere, 'laboratory', '-c'],
    ['list', '-c', nowhere, 'laboratory'],
    ['list', '--url', nowhere, 'laboratory', '-c'],
  ]) {
    const { status, stderr } = await accession(args, { env: { XDG_CONFIG_HOME: folder } });
    assert.equal(status, 1);
    assert.match(stderr, /^accession: .*127\.0\.0\.1:9/);
  }
  assert.ok(!existsSync(join(folder, 'accession', 'logins.json')));
});

test('a secret is read from standard input, and hashed without the end of its line', async () => {
  const { stdout, stderr } = await accession(['hash-token'], { input: 'secret\n' });
  assert.equal(stdout, '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\n');
  assert.equal(stderr, '', 'without a terminal, neither a prompt nor progress is printed');
});

test('tables are aligned by characters and cut to the terminal', () => {
  const rows = [
    { a: 'é🎉', b: 'x'.repeat(30) },
    { a: 'long word', b: ['one', 'two'] },
  ];
  assert.equal(tableText(rows, ['a', 'b'], 20), `a          b\né🎉         xxxxxxxx…\nlong word  one, two\n`);
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

test('progress shows the rate and the time that is left', () => {
  assert.equal(
    progressText('records', 12_000, 3000, 100_000),
    '12,000 of 100,000 records, 4,000/s, 22 s left',
  );
  assert.equal(progressText('records', 500, 1000), '500 records, 500/s');
});
