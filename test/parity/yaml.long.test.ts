/** The YAML that we write, byte by byte against PyYAML's. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '#linkml/json.ts';
import { readYaml, YamlError } from '#linkml/yaml/read.ts';
import { writeYaml } from '#linkml/yaml/write.ts';
import { anyCharacter } from '#linkml-test/any-character.ts';
import { findPeer, type Peer } from './peer.ts';

const found = await findPeer();
const skip = 'missing' in found ? found.missing : false;
const CORPUS = path.resolve(import.meta.dirname, '../../../shared/corpus/cases');

/** A JSON record a line in; a line with the YAML text, as a JSON string, out; as the peer calls PyYAML. */
const DUMP = `
import json, sys, yaml
for line in sys.stdin:
    text = yaml.dump(json.loads(line), sort_keys=True, allow_unicode=True, default_flow_style=False)
    print(json.dumps(text))
`;

/** A document a line in, as a JSON string; a line with its value, or null if it is refused, out. */
const LOAD = `
import datetime, json, sys, yaml
def plain(value):
    if isinstance(value, dict): return {key if isinstance(key, str) else name(key): plain(one) for key, one in value.items()}
    if isinstance(value, list): return [plain(one) for one in value]
    return value.isoformat() if isinstance(value, datetime.date) else value
def name(key): return key.isoformat() if isinstance(key, datetime.date) else str(key)
for line in sys.stdin:
    try: print(json.dumps([plain(yaml.safe_load(json.loads(line)))], allow_nan=False))
    except Exception: print('null')
`;

/** What documents are made of that PyYAML reads, or refuses, for reasons of its own. */
const PIECES = [
  ...[
    'a',
    'key',
    'a b',
    '- ',
    ': ',
    ':',
    '? ',
    '\n',
    '\n  ',
    '\n    ',
    ' ',
    "'",
    '"',
    '[',
    ']',
    '{',
    '}',
    ',',
  ],
  ...[', ', '# c', ' # d', '|', '>-', '|2', '&x ', '*x', '!!str ', '!!int ', '! ', '1', '1.5', 'true', '~'],
  ...['2020-01-01', '\t', '---', '\n---\n', '\n...\n', '%YAML 1.1\n', '\\', '<<: ', 'é', '\u2028'],
  ...['\r\n', '@', '=', '1:30', '"a\\\n  b"', 'x: 1', '\n- ', '\n  - ', '\nk: ', '{a: b}', '[a, b]', "''"],
];

const NASTY_TEXTS = [
  ...[
    'no',
    'Yes',
    'on',
    'OFF',
    'true',
    'null',
    '~',
    '',
    ' ',
    '=',
    '<<',
    '-',
    '--',
    '---',
    '...',
    '?',
    ':',
    '- a',
    '? a',
    'a: b',
    'a:',
    ':a',
  ],
  ...[
    '1',
    '1e3',
    '1.0e+3',
    '0x1F',
    '0o17',
    '017',
    '0b11',
    '1_000',
    '190:20:30',
    '.5',
    '.inf',
    '-.INF',
    '.nan',
    '+1',
    '1.',
    '1e+3',
    '-0',
    '12345678901234567890',
  ],
  ...['2024-01-01', '2024-01-01T10:00:00Z', '2024-1-1 10:00:00', '10:30', '2024-13-99'],
  ...[
    ' leading',
    'trailing ',
    '  two',
    '\ttab',
    'tab\tinside',
    'line\nbreak',
    'line\n',
    '\nline',
    'a\n\nb',
    'a\n b',
    ' \n ',
    'cr\rhere',
    'crlf\r\nhere',
  ],
  ...[
    '#comment',
    'a #b',
    'a#b',
    '&anchor',
    '*alias',
    '!tag',
    '|',
    '>',
    '%percent',
    '@at',
    '`tick`',
    '"quoted"',
    "it's",
    "'single'",
    '[list]',
    '{map}',
    'a, b',
    '[',
    ']',
    '{',
    '}',
    ',',
  ],
  ...[
    'ü',
    '笛卡尔',
    '🚀',
    'e\u0301',
    '\u00a0nbsp',
    '\u2028ls',
    '\u2029ps',
    '\u0085nel',
    '\ufeffbom',
    '\ufffd',
    '\ud7ff',
    '\ue000',
    '\u200b',
    '\u0007bell',
    '\u0000',
    '\u001b[0m',
    '\u007f',
    '\u0080',
  ],
  ...[
    'x'.repeat(200),
    'word '.repeat(60),
    `${'word '.repeat(40)}🚀`,
    `${'long-word-'.repeat(20)} end`,
    `"${'quoted '.repeat(30)}"`,
    `${'ü '.repeat(90)}`,
    `a\n${'word '.repeat(40)}`,
  ],
];

test('nasty texts are written as PyYAML writes them, as values, in lists and as keys', { skip }, async () => {
  const records = NASTY_TEXTS.map(
    (value): JsonObject => ({
      value,
      list: [value, [value], { [value || 'k']: value }],
      [value || 'empty']: { nested: { value } },
    }),
  );
  await sameBytes(records);
});

test('generated records are written as PyYAML writes them', { skip }, async () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(...NASTY_TEXTS),
  );
  const words = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(' '));
  const value = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      words,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(words, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).value;
  const record = fc.dictionary(fc.string({ minLength: 1 }), value, { maxKeys: 5, noNullPrototype: true });
  await sameBytes(fc.sample(record, { numRuns: 2_000, seed: 42 }) as JsonObject[]);
});

test('every valid record of the corpus is written as PyYAML writes it', {
  skip: skip || noCorpus(),
}, async () => {
  const records: JsonObject[] = [];
  for (const file of await readdir(CORPUS, { recursive: true })) {
    if (!file.endsWith('.json')) continue;
    const { expect } = parseJson(await readFile(path.join(CORPUS, file), 'utf8')) as { expect: JsonObject };
    if (expect.valid === true && expect.canonical) records.push(expect.canonical as JsonObject);
  }
  await sameBytes(records);
});

test('random documents are read, or refused, as PyYAML reads them', { skip }, async () => {
  const document = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));
  const documents = fc.sample(document, {
    numRuns: Number(process.env.ACCESSION_PROPERTY_RUNS ?? 100) * 50,
    seed: 1,
  });
  const theirs = await python(
    LOAD,
    documents.map((one) => JSON.stringify(one)),
  );
  for (const [i, text] of documents.entries()) {
    // A value of which PyYAML does not say what it is (`=`), and one that contains itself.
    if (/=|<</.test(text) || /&x .*\*x/s.test(text)) continue;
    assert.deepEqual(read(text), theirs[i], JSON.stringify(text));
  }
});

function read(text: string): unknown {
  try {
    return [plain(readYaml(text, { otherKeys: 'python' }))];
  } catch (error) {
    assert.ok(error instanceof YamlError);
    return null;
  }
}

function noCorpus(): string | false {
  return existsSync(CORPUS) ? false : 'the conformance corpus is not beside the repository';
}

/** Writes the records with both, compares the bytes, and reads what was written. */
async function sameBytes(records: readonly JsonObject[]): Promise<void> {
  const peer = await python(DUMP, records.map(canonicalJson));
  for (const [i, record] of records.entries()) {
    assert.equal(writeYaml(record), peer[i], canonicalJson(record));
    assert.deepEqual(plain(readYaml(peer[i] as string)), plain(record));
  }
}

/** Numbers by value: a float comes back in Python's spelling. */
function plain(value: JsonValue): unknown {
  return JSON.parse(canonicalJson(value));
}

async function python(program: string, lines: readonly string[]): Promise<JsonValue[]> {
  const { python: executable } = (found as { peer: Peer }).peer;
  const child = spawn(executable, ['-c', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  });
  child.stdin.end(lines.join('\n'));
  const output = await text(child.stdout);
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonValue);
}
