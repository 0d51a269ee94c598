/**
 * How the cost of commands grows with the files that they read: each command whose example names one, with the documents that
 * are made to be expensive. A new command is in it by itself. Prints a table of exponents, as `endpoints.long.test.ts` does.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { allCommands } from '../../src/cli/main.ts';
import { accession, LABORATORY, scratch } from '../cli/accession.ts';
import { commandLines } from '../cli/command-lines.ts';
import { believed, costOf, exponentOf, isSteep, type Point, sampled, sizesUpTo } from './measure.ts';
import { type Shape, shapesOf, YAML_SHAPES } from './shapes.ts';
import { Values } from './values.ts';

const LONGEST = 2 ** 19;
/** A pattern of commands that are measured whole. */
const ROWS = process.env.ACCESSION_COST_ROWS;

/** They write the file that they name, or do not end. */
const OTHERS = ['backup', 'export', 'serve'];
const OUTPUT = /^(-o|--output|--report)$/;

const values = new Values({ components: { schemas: {} } });
const of = (mediaType: string) => shapesOf(mediaType, {}, values);
const TABLE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** By the suffix of a file. */
const SHAPES: Readonly<Record<string, readonly Shape[]>> = {
  '.yaml': YAML_SHAPES,
  '.json': of('application/json'),
  '.ndjson': of('application/x-ndjson'),
  '.ttl': of('text/turtle'),
  '.jsonld': of('application/ld+json'),
  '.nq': of('application/n-quads'),
  '.csv': of('text/csv'),
  '.xlsx': of(TABLE),
  '.ods': of('application/vnd.oasis.opendocument.spreadsheet'),
  '.terms': of('application/json'),
  '.gz': of('application/json').map(({ name, make }) => ({ name, make: (n) => gzipSync(make(n)) })),
};
/** A folder of records may have files of all formats. */
const suffixesOf = (word: string) =>
  word.endsWith('/') ? Object.keys(SHAPES).filter((one) => !/gz|terms/.test(one)) : [extname(word)];

type Case = {
  readonly name: string;
  readonly shape: Shape;
  wordsWith(file: string): string[];
  readonly suffix: string;
};

/** The example of a command, with each of its files in turn. */
function casesOf(name: string, example: readonly string[]): Case[] {
  if (OTHERS.includes(name)) return [];
  return example.flatMap((word, at) =>
    OUTPUT.test(example[at - 1] ?? '')
      ? []
      : suffixesOf(word).flatMap((suffix) =>
          (SHAPES[suffix] ?? []).map((shape) => ({
            name: `${example.join(' ')}: ${word} ${suffix} of ${shape.name}`,
            shape,
            suffix,
            wordsWith: (file) =>
              example.map((one, other) => {
                if (other === at) return file;
                return other > 0 && /schema\.yaml$/.test(one) ? LABORATORY : one;
              }),
          })),
        ),
  );
}

async function pointsOf({ shape, suffix, wordsWith }: Case, directory: string): Promise<Point[]> {
  const points: Point[] = [];
  const [least = 0, ...others] = sizesUpTo(LONGEST, LONGEST / 8);
  for (const size of [least, least, ...others]) {
    const file = join(directory, `file${suffix}`);
    writeFileSync(file, shape.make(size));
    // Nothing answers there: what commands do before they ask is measured.
    const env = { ACCESSION_URL: 'http://127.0.0.1:9', ACCESSION_TOKEN: 'x' };
    const { result, ...cost } = await costOf(() => accession(wordsWith(file), { cwd: directory, env }));
    assert.doesNotMatch(result.stderr, /\n\s+at \S+ \(/);
    points.push({ ...cost, size });
  }
  return points.slice(1);
}

console.log('exponent  cpu ms     size  command');
const isMeasured = sampled(ROWS);

for (const { name, command } of commandLines(allCommands())) {
  let page = '';
  command.configureOutput({ writeOut: (text) => (page += text) });
  command.outputHelp();
  const [, example = ''] = /^ {2}accession (.*)$/m.exec(page) ?? [];
  if (ROWS !== undefined && !new RegExp(ROWS).test(name)) continue;
  const cases = casesOf(name, example.split(' ')).filter(isMeasured);
  if (cases.length === 0) continue;
  test(name, async (t) => {
    const directory = scratch(t);
    for (const one of cases) {
      const points = await believed(() => pointsOf(one, directory));
      const { cpu, size } = points.at(-1)!;
      const exponent = exponentOf(points);
      const text = `${(exponent?.toFixed(2) ?? '-').padStart(8)} ${cpu.toFixed(0).padStart(7)} ${String(size).padStart(8)}  ${one.name}`;
      if (exponent !== undefined) console.log(text);
      assert.ok(!isSteep(points), text);
    }
  });
}
