/** The blocks of the pages that are not commands: programs run and are of their types, configurations and schemas are read. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Parser } from 'n3';
import { parse as readYaml } from 'yaml';
import { typescriptTypes } from '#linkml/generate/typescript.ts';
import { takeSnapshot } from '#linkml/vocabularies/take.ts';
import { smallVocabularies, vocabularyFile } from '#linkml-test/vocabularies.ts';
import manifest from '../../package.json' with { type: 'json' };
import { parseConfiguration } from '../../src/core/config/parse.ts';
import { openSchema } from '../../src/core/schema/schema.ts';
import { type Listening, listening } from '../cli/service.ts';
import { ADMIN, LABORATORY } from '../support/app.ts';
import { SCHEMAS } from '../support/configuration-schemas.ts';
import { MODULE_BLOCKS } from './modules.ts';
import { blocksOf, ROOT } from './page.ts';

/** A program: the blocks of a page, one after the other. */
type Program = {
  readonly blocks: readonly string[];
  /** What the reader has before: declarations, and what is said of them. */
  readonly reader?: string;
  /** Names of the page → what they are here. */
  readonly instead?: Readonly<Record<string, string>>;
};
type Check = (text: string) => unknown;

let service: Listening;
const folder = mkdtempSync(join(tmpdir(), 'accession-code-'));
const schemaText = JSON.stringify(await readFile(LABORATORY, 'utf8'));

/** By page, language and number: a program, a check, or where the block is checked, or why it is not. */
function expected(): Record<string, Program | Check | string> {
  const url = service.url;
  const laboratory = `import { connect } from 'accession/client';
const laboratory = connect({ url: '${url}', token: 'cur' }).collection('lab');`;
  const linkml = 'docs/linkml-library.md js';
  return {
    ...MODULE_BLOCKS,
    'CONTRIBUTING.md ts 1': {
      blocks: ['CONTRIBUTING.md ts 1'],
      instead: { "'../": `'${ROOT}/src/core/http/`, "'./": `'${ROOT}/src/core/http/endpoints/` },
    },
    'README.md json 1': async (text) => {
      const json = { pid: 'labid:person-grace-hopper', name: 'Grace Hopper', familyname: 'Hopper' };
      const answer = await service.request('POST', '/lab/record/Person', { token: 'ann', json });
      const { input, ...first } = answer.json<{ detail: { input?: unknown }[] }>().detail[0]!;
      assert.deepEqual(JSON.parse(text), first);
    },
    'docs/audit.md json 1': async (text) => {
      const json = { pid: 'labid:audited', name: 'Ada', family_name: 'Ada' };
      await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json });
      await service.request('POST', '/lab/curated/record/Person?author_id=ada', {
        token: 'cur',
        json: { ...json, name: 'L.' },
      });
      const answer = await service.request('GET', '/-/lab/history?pid=labid:audited', { token: 'cur' });
      const { changes, ...entry } = answer.json<{ changes: object[] }[]>()[1]!;
      const { changes: shown, ...other } = JSON.parse(text) as { changes: object[] };
      for (const [one, two] of [
        [other, entry],
        [shown[0]!, changes[0]!],
      ])
        assert.deepEqual(
          Object.keys(one!).filter((key) => !Object.hasOwn(two!, key)),
          [],
        );
    },
    'docs/client-library.md ts 1': 'the next block continues it',
    'docs/client-library.md ts 2': {
      blocks: ['docs/client-library.md ts 1', 'docs/client-library.md ts 2'],
      reader: `const token = 'cur', since = undefined;
const texts = ['{"pid": "labid:m", "schema_type": "lab:Person", "name": "M", "family_name": "M"}'];
const file = 'pid,name,family_name\\nlabid:t,T,T\\n';`,
      instead: {
        'https://records.example.org': url,
        "('laboratory')": "('lab')",
        'changes({ since })': 'changes({ since, once: true })',
        'process.stdout.write(`${line}\\n`)': 'void line',
        'console.log(': 'void (',
      },
    },
    'docs/client-library.md ts 3': {
      blocks: ['docs/client-library.md ts 1', 'docs/client-library.md ts 3'],
      reader: `const token = 'cur';`,
      instead: { 'https://records.example.org': url, "('laboratory')": "('lab')", 'console.log(': 'void (' },
    },
    'docs/command-line.md yaml 1': 'test/cli/validate.test.ts runs its last step',
    'docs/configuration.md yaml 1': (text) => parseConfiguration(readYaml(text), SCHEMAS),
    'docs/configuration.md yaml 2': configuration,
    'docs/errors.md json 1': async (text) => {
      const json = { name: 'x', schema: 'linkml:types', curatd: 'x' };
      const answer = await service.request('POST', '/collections', { token: ADMIN, json });
      const known = ({ detail }: { detail: { type: string; loc: string[] }[] }) =>
        detail.map(({ type, loc }) => ({ type, loc })).filter(({ loc }) => loc.includes('curatd'));
      assert.deepEqual(known(answer.json()), known(JSON.parse(text)), answer.text);
    },
    'docs/forge.md yaml 1': (text) => configuration(`collections:\n  lab:\n${text.replace(/^/gm, '    ')}`),
    'docs/linkml-library.md ts 1': {
      blocks: ['docs/linkml-library.md ts 1'],
      reader: `const text = ${schemaText};
const request = { json: async () => ({ pid: 'labid:x', name: 'X', family_name: 'X', given_name: 'X' }) };
let greeted: string | undefined;
const greet = (name: string | undefined) => { greeted = name; };`,
    },
    'docs/linkml-library.md ts 2': 'it is about tRPC, which is no dependency',
    'docs/linkml-library.md json 1': 'an excerpt; test/library/library.test.ts checks the contexts',
    'docs/search.md json 1': (text) => JSON.parse(text),
    'docs/turtle.md json 1': async (text) => {
      const headers = { 'content-type': 'application/ld+json' };
      const body = text.replace('/laboratory/', '/lab/');
      const answer = await service.request('POST', '/lab/record/Person', { token: 'ann', headers, body });
      assert.equal(answer.status, 200, answer.text);
    },
    'docs/how-to/keep-a-copy.md text 1': 'in test/follow/follower.long.test.ts',
    'docs/how-to/keep-a-copy.md text 2': 'in test/follow/follower.long.test.ts',
    'docs/how-to/follow-changes.md ts 1': {
      blocks: ['docs/how-to/follow-changes.md ts 1'],
      reader: `${laboratory}
const since = undefined, seen: string[] = [];
const update = async ({ pid }: { pid: string }) => { seen.push(pid); };
const save = (cursor: string) => { if (cursor === '') throw new Error('no cursor'); };`,
      instead: { 'changes({ since })': 'changes({ since, once: true })' },
    },
    'docs/how-to/replace-linkml-validate.md text 1': 'names of files',
    'docs/how-to/replace-linkml-validate.md text 2':
      'test/cli/validate-examples.long.test.ts prints such a line',
    'docs/how-to/restrict-records.md yaml 1': configuration,
    'docs/how-to/restrict-records.md yaml 2': configuration,
    'docs/how-to/restrict-records.md json 1': (text) => JSON.parse(text),
    'docs/how-to/run-in-production.md yaml 1': (text) => readYaml(text),
    'docs/http.md text 1': 'test/client/generated.long.test.ts makes both clients',
    'docs/http.md ts 1': 'test/client/generated.long.test.ts checks such a program',
    [`${linkml} 1`]: { blocks: [`${linkml} 1`] },
    [`${linkml} 2`]: {
      blocks: [`${linkml} 2`],
      reader: "import { openLinkml } from 'accession/linkml';",
      instead: { schemas: `${folder}/schemas` },
    },
    [`${linkml} 3`]: { blocks: [`${linkml} 1`, `${linkml} 3`] },
    [`${linkml} 4`]: { blocks: [`${linkml} 4`] },
    [`${linkml} 5`]: { blocks: [`${linkml} 1`, `${linkml} 5`] },
    [`${linkml} 6`]: 'the metamodel is on the network; test/library/library.test.ts checks schemas as data',
    'docs/turtle.md turtle 1': (text) => assert.ok(new Parser().parse(text).length > 5),
    'docs/vocabularies.md yaml 1': schemaPart,
    'docs/vocabularies.md js 1': {
      blocks: ['docs/vocabularies.md js 1'],
      reader: `const source = ${schemaText};`,
      instead: {
        "'methods.csv'": JSON.stringify(vocabularyFile('methods')),
        "'cl.terms'": JSON.stringify(join(folder, 'cl.terms')),
      },
    },
  };
}

/** A part of a configuration, in a whole one. */
function configuration(text: string): void {
  const { collections = {}, ...others } = readYaml(text) as { collections?: Record<string, object> };
  const lacking = {
    schema: 'linkml:types',
    default_token: 'nobody',
    curated: 'lab/curated',
    incoming: 'lab/incoming',
  };
  parseConfiguration(
    {
      type: 'collections',
      version: 2,
      tokens: { nobody: { user_id: 'nobody', collections: {} } },
      ...others,
      collections: Object.fromEntries(
        Object.entries(collections).map(([name, one]) => [name, { ...lacking, ...one }]),
      ),
    },
    SCHEMAS,
  );
}

/** A part of a schema, in a whole one with the vocabularies that it names. */
async function schemaPart(text: string): Promise<void> {
  const file = join(folder, 'part.yaml');
  const prefixes = {
    CL: 'http://purl.obolibrary.org/obo/CL_',
    METHOD: 'https://example.org/methods/',
    obo: 'http://purl.obolibrary.org/obo/',
    linkml: 'https://w3id.org/linkml/',
  };
  const schema = {
    id: 'https://example.org/part',
    name: 'part',
    prefixes,
    imports: ['linkml:types'],
    ...(readYaml(text) as object),
  };
  writeFileSync(file, JSON.stringify(schema));
  const { cl, methods } = await smallVocabularies();
  await openSchema(file, { terms: { 'obo:cl': cl, cl, methods } });
}

/** The blocks that are not commands: their text by page, language and number. */
const blocks = new Map<string, string>();
for (const page of globSync(['*.md', 'docs/**/*.md', 'src/modules/*/README.md'], { cwd: ROOT }))
  for (const language of ['ts', 'js', 'yaml', 'json', 'turtle', 'text'])
    for (const [index, text] of blocksOf(page, language).entries())
      if (page !== 'CHANGELOG.md') blocks.set(`${page} ${language} ${index + 1}`, text);

/** What a program imports from the package, as it is here. */
function fromSources(code: string): string {
  return code.replaceAll(/'accession(\/[a-z/]+)'/g, (_, entry: string) => {
    const { default: file } = manifest.exports[`.${entry}` as './client'];
    const source = file.replace('./dist/linkml/', 'packages/linkml/src/').replace('./dist/', 'src/');
    return JSON.stringify(join(ROOT, source.replace(/js$/, 'ts')));
  });
}

function write(name: string, { blocks: names, reader = '', instead = {} }: Program): string {
  const own = [reader, ...names.map((one) => blocks.get(one) as string)].join('\n');
  const file = join(folder, `${name.replaceAll(/[/ ]/g, '-')}.ts`);
  const code = Object.entries(instead).reduce((text, [from, to]) => text.replaceAll(from, to), own);
  writeFileSync(file, `${fromSources(code)}\nexport {};\n`);
  return file;
}

/** What the type checker reports of files; empty for nothing. */
function typeErrors(files: string[]): string {
  const typeRoots = [join(ROOT, 'node_modules/@types')];
  const compilerOptions = { typeRoots, noUnusedLocals: false };
  const project = join(folder, 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [], files }),
  );
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' }).stdout;
}

describe('the blocks of pages', () => {
  const ends: (() => unknown)[] = [];
  let all: ReturnType<typeof expected>;

  before(async () => {
    service = await listening({ after: (end) => void ends.push(end as () => unknown) });
    const ada = { pid: 'labid:person-ada-abe', name: 'Ada', family_name: 'Abe' };
    await service.request('POST', '/lab/curated/record/Person', { token: 'cur', json: ada });
    mkdirSync(join(folder, 'schemas'));
    copyFileSync(LABORATORY, join(folder, 'schemas/person.yaml'));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder, 'records.ts'), typescriptTypes(await openSchema(LABORATORY)));
    const cells = await readFile(vocabularyFile('cl'));
    writeFileSync(join(folder, 'cl.terms'), await takeSnapshot([cells], { source: 'cells.json' }));
    all = expected();
  });
  after(async () => {
    for (const end of ends.toReversed()) await end();
    rmSync(folder, { recursive: true, force: true });
  });

  test('are run or read, or have a reason why not', () => {
    assert.deepEqual([...blocks.keys()].sort(), Object.keys(all).sort());
  });

  for (const [name, text] of blocks)
    test(name, async (t) => {
      const check = all[name];
      if (typeof check === 'string') return t.skip(check);
      if (typeof check === 'function') await check(text);
      else if (check) await import(pathToFileURL(write(name, check)).href);
    });

  test('in TypeScript have no errors of types', () => {
    const programs = Object.entries(all).filter(
      ([name, one]) => name.includes(' ts ') && typeof one === 'object',
    );
    assert.deepEqual(typeErrors(programs.map(([name, one]) => write(name, one as Program))), '');
  });
});
