/** Pages from templates: what they show, and that those kept up to date by changes are those of a first run. */

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { curated } from '../../examples/laboratory/records.ts';
import { render } from '../../src/cli/client/render/render.ts';
import { readSite } from '../../src/cli/client/render/site.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import { organization, person } from '../support/people.ts';
import { longTest, propertyRuns, repeated, test } from '../support/tier.ts';
import { accession, scratch } from './accession.ts';
import { type Listening, listening } from './service.ts';

/** The templates of the example include what records refer to. */
const skip =
  !ENDPOINTS.some(({ query = {} }) => Object.hasOwn(query, 'expand')) && 'the service has no expansions';
const EXAMPLE = resolve(import.meta.dirname, '../../examples/laboratory/site');
const ROUNDS = propertyRuns(2, 8);

type Site = {
  readonly service: Listening;
  readonly output: string;
  readonly templates: string;
  put(className: string, record: object): Promise<void>;
  remove(pid: string): Promise<void>;
  /** Renders into a folder, by default that of all runs. */
  render(output?: string): Promise<number>;
  page(path: string): string;
};

/** @param files of the site; without any, the site of the example */
async function siteOf(t: TestContext, files?: Readonly<Record<string, string>>): Promise<Site> {
  const service = await listening(t);
  const folder = scratch(t);
  process.env.ACCESSION_TOKEN = 'cur';
  t.after(() => {
    delete process.env.ACCESSION_TOKEN;
  });
  const templates = files === undefined ? EXAMPLE : join(folder, 'site');
  for (const [name, text] of Object.entries(files ?? {})) {
    mkdirSync(dirname(join(templates, name)), { recursive: true });
    writeFileSync(join(templates, name), text);
  }
  const output = join(folder, 'public');
  const request = async (method: string, path: string, json?: object) => {
    const answer = await service.request(method, path, { token: 'cur', ...(json && { json }) });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  };
  return {
    service,
    output,
    templates,
    put: (className, record) => request('POST', `/copy/curated/record/${className}`, record),
    remove: (pid) => request('DELETE', `/copy/curated/record?pid=${pid}`),
    render: (place = output) => render('copy', templates, place, { url: service.url }),
    page: (path) => readFileSync(join(output, path), 'utf8'),
  };
}

/** The files below a folder with their contents. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      return [name, statSync(path).isDirectory() ? '(folder)' : readFileSync(path, 'utf8')];
    }),
  );
}

const LIST = '---\nclass: Person\n---\n{% for one in records %}{{ one.name }};{% endfor %}';
const EACH = '---\nclass: Person\npath: people/{{ record.pid }}.html\n---\n{{ record.name }}';

test('the site of the laboratory has its people, projects and publications with what they refer to', {
  skip,
}, async (t) => {
  const { service, render, page, output } = await siteOf(t);
  for (const className of ['Organization', 'Person', 'Project', 'Instrument', 'Publication']) {
    const json = curated.filter((one) => one.className === className).map(({ record }) => record);
    await service.request('POST', `/-/copy/curated/records/${className}`, { token: 'cur', json });
  }
  assert.equal(await render(), 0);
  assert.match(page('people/labid-person-ada-abe.html'), /<h1>Ada Abe<\/h1>.*University of Norbury.*lead/s);
  assert.match(page('people.html'), /people\/labid-person-ada-abe\.html">Abe, Ada<.*University of Norbury/s);
  assert.match(page('projects/labid-project-001.html'), /people\/labid-person-ada-abe\.html">Ada Abe</);
  assert.match(page('publications/labid-publication-001.html'), /<h2>Authors<\/h2>.*people\/labid-person/s);
  assert.ok(existsSync(join(output, 'style.css')));
  // No link leads to a page that does not exist.
  for (const [name, text] of Object.entries(filesIn(output)))
    for (const [, href = ''] of text.matchAll(/(?:href|src)="(?!https?:|mailto:)([^"]+)"/g))
      assert.ok(existsSync(join(output, dirname(name), href)), `${name}: ${href}`);
});

repeated(
  'after random changes, the pages are those of a first run, and only those that show a change are written',
  { skip },
  async (t) => {
    const site = await siteOf(t);
    const { service, put, remove } = site;
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const some = (kind: string, most: number) => [
      ...new Set(Array.from({ length: random(most + 1) }, () => `labid:${kind}${random(8)}`)),
    ];
    const name = () => `N${random(1000)}`;
    const changes = [
      () => put('Person', person(`p${random(8)}`, { name: name(), affiliations: some('o', 2) })),
      () =>
        put('Organization', organization(`o${random(8)}`, { name: name(), part_of: `labid:o${random(8)}` })),
      () => {
        const authors = some('p', 3);
        // A reference may be written as the IRI.
        if (random(3) === 0) authors.push(`https://example.org/laboratory/id/q${random(4)}`);
        return put('Publication', { pid: `labid:b${random(8)}`, title: name(), authors });
      },
      () => {
        const participations = some('p', 2).map((one) => ({ person: one, project_role: 'lead' }));
        const funders = some('o', 1);
        return put('Project', { pid: `labid:j${random(8)}`, name: name(), participations, funders });
      },
      () => put('Person', person(`q${random(4)}`)),
      () => remove(`labid:${'pobj'[random(4)]}${random(8)}`).catch(() => {}),
      async () => {
        const [from, to] = [`labid:p${random(8)}`, `labid:q${random(4)}`];
        await service.request('POST', '/-/copy/curated/rename', { token: 'cur', json: { from, to } });
      },
    ];
    for (let round = 0; round < ROUNDS; round++) {
      for (let count = random(6); count >= 0; count--) await changes[random(changes.length)]!();
      assert.equal(await site.render(), 0);
      const first = `${site.output}-${round}`;
      assert.equal(await site.render(first), 0);
      assert.deepEqual(filesIn(site.output), filesIn(first), `round ${round}`);
      rmSync(first, { recursive: true });
    }
    await put('Person', person('alone'));
    await site.render();
    const before = filesIn(site.output);
    const times = () => Object.keys(before).map((path) => statSync(join(site.output, path)).mtimeMs);
    const old = times();
    await put('Person', person('alone', { name: 'Changed' }));
    await site.render();
    const after = times();
    const changed = Object.keys(before).filter(
      (path, at) => before[path] !== '(folder)' && after[at] !== old[at],
    );
    assert.deepEqual(changed, ['people/labid-alone.html']);
  },
);

test('values are text in pages: markup is escaped, and a link has a URL of the web or none', async (t) => {
  const { put, render, page } = await siteOf(t, {
    'all.html':
      '---\nclass: Person\n---\n{% for one in records %}{{ one.name }} <a href="{{ one.homepage | web_url }}">{% endfor %}',
  });
  const name = '<script>alert(1)</script>{{ 7 | times: 6 }}{% assign x = 1 %}"\'&';
  await put('Person', person('mallory', { name, homepage: 'javascript:alert(1)' }));
  await render();
  const text = page('all.html');
  assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;\{\{ 7 \| times: 6 \}\}\{% assign x = 1 %\}/);
  assert.match(text, /<a href="">/);
});

test('names of pages stay in the folder, and two of one name are refused', async (t) => {
  const { put, render, output, service } = await siteOf(t, { 'person.html': EACH, 'people.html': LIST });
  await put('Person', person('../../../etc/passwd'));
  await put('Person', person('.hidden'));
  await render();
  const names = ['people', 'people.html', 'people/labid-.-..-etc-passwd.html', 'people/labid-.hidden.html'];
  assert.deepEqual(
    Object.keys(filesIn(output)).map((name) => name.replace('labid-..-..-..-', 'labid-.-..-')),
    names,
  );
  await put('Person', person('Ada'));
  await render();
  await put('Person', person('ada'));
  const refused =
    /Two pages have the path 'people\/labid-Ada\.html' and 'people\/labid-ada\.html'.*labid:ada\./s;
  await assert.rejects(render(), refused);
  await service.request('DELETE', '/copy/curated/record?pid=labid:ada', { token: 'cur' });
  assert.equal(await render(), 0);
});

test('an interrupted run is made good by the next one, and another site replaces the pages', async (t) => {
  const { put, render, page, output } = await siteOf(t, {
    'person.html': EACH,
    'list.html': LIST,
    'robots.txt': 'x',
  });
  await put('Person', person('ada'));
  await render();
  const state = JSON.parse(readFileSync(`${output}.render-state`, 'utf8'));
  // What a run leaves that was killed.
  writeFileSync(`${output}.render-state`, JSON.stringify({ ...state, cursor: undefined, pages: {} }));
  writeFileSync(join(output, 'people/labid-gone.html'), 'of a killed run');
  writeFileSync(join(output, '.nojekyll'), '');
  await render();
  assert.deepEqual(Object.keys(filesIn(output)), [
    ...['.nojekyll', 'list.html', 'people', 'people/labid-ada.html', 'robots.txt'],
  ]);
  assert.equal(page('list.html'), 'ada;');
});

test('what cannot be rendered is refused with the file and the line', async (t) => {
  const run = async (files: Record<string, string>) => (await siteOf(t, files)).render();
  await assert.rejects(run({ 'a.txt': 'x' }), /has no template/);
  await assert.rejects(
    run({ 'a.html': '---\nclas: Person\n---\n' }),
    /a\.html: expected class, .*found 'clas'/,
  );
  await assert.rejects(
    run({ 'a.html': '---\nclass: Persn\n---\n' }),
    /a\.html: class: expected a class .*'Persn'/,
  );
  await assert.rejects(
    run({ 'a.html': '---\npath: x\n---\n' }),
    /a\.html: expected the class of the records/,
  );
  await assert.rejects(run({ 'a.html': '---\n---\n\n{% nothing %}' }), /a\.html: .*nothing.* line:4/);
  await assert.rejects(
    run({ 'a.html': '---\n---\n{{ 1 | nothing }}' }),
    /a\.html: undefined filter: nothing/,
  );
  await assert.rejects(run({ 'a.html': "---\n---\n{% layout '_none.html' %}" }), /a\.html: .*_none\.html/);
  const outside = '---\nclass: Person\npath: ../{{ record.pid }}\n---\n';
  const { put, render } = await siteOf(t, { 'a.html': outside });
  await put('Person', person('ada'));
  await assert.rejects(render(), /a\.html: path: expected a relative path .*found '\.\.\/labid-ada'/);
});

test('a page of loops in loops ends with an error', (t) => {
  const folder = scratch(t);
  const loops = [1, 2, 3].map((n) => `{% for n${n} in (1..9999) %}`).join('');
  writeFileSync(join(folder, 'a.html'), `---\n---\n${loops}${'{% endfor %}'.repeat(3)}`);
  const [template] = readSite(folder, 50).templates;
  assert.throws(() => template?.text({}, 'a.html'), /a\.html: .*render limit exceeded/);
});

longTest('a site of others reads no file outside of its folder, and does not fill the memory', async (t) => {
  const run = async (files: Record<string, string>) => (await siteOf(t, files)).render();
  const [secret = ''] = readdirSync('.').filter((name) => name === 'package.json');
  for (const tag of [`include '${secret}'`, `render '${secret}'`, `layout '${secret}'`]) {
    const { put, render, output } = await siteOf(t, {
      'a.html': `---\nclass: Person\npath: "{% ${tag} %}"\n---\n`,
    });
    await put('Person', person('ada'));
    await assert.rejects(render(), /a\.html: .*ENOENT/, tag);
    assert.ok(!existsSync(output) || readdirSync(output).length === 0, tag);
  }
  const range = '{% for n in (1..1000000000) %}{% endfor %}';
  await assert.rejects(run({ 'a.html': `---\n---\n${range}` }), /a\.html: memory alloc limit exceeded/);
  for (const [target, reason] of [
    ['/etc/hostname', /link: expected a file of the folder .*, found a link to \/etc\/hostname/],
    ['.', /link: expected a file of the folder/],
    ['folder', /link: expected a regular file/],
  ] as const) {
    const { render, templates } = await siteOf(t, { 'a.html': '---\n---\nx', 'folder/b.txt': 'x' });
    symlinkSync(target, join(templates, 'link'));
    await assert.rejects(render(), reason);
  }
  const { render, templates, page } = await siteOf(t, { 'a.html': '---\n---\nx', 'folder/b.txt': 'y' });
  symlinkSync('folder/b.txt', join(templates, 'link.txt'));
  await render();
  assert.equal(page('link.txt'), 'y');
});

test('hostile values of records stay text in pages and names in paths', async (t) => {
  const { put, render, output } = await siteOf(t, {
    'a.html':
      '---\nclass: Person\npath: "p/{{ record.name }}.html"\n---\n{{ record.name }}|{{ record.homepage | web_url }}',
  });
  const names = [
    '../../etc/x',
    '/etc/x',
    '..',
    '{{ record.pid }}',
    '{% include "x" %}',
    '<script>1</script>',
  ];
  for (const [n, name] of names.entries()) await put('Person', person(`p${n}`, { name: `${name}${n}` }));
  await render();
  const files = filesIn(output);
  assert.equal(Object.keys(files).filter((name) => name.endsWith('.html')).length, names.length);
  for (const [name, text] of Object.entries(files)) {
    assert.match(name, /^p(\/[^/.][^/]*\.html)?$/);
    assert.doesNotMatch(String(text), /<script|labid:p/);
  }
});

test('the command reports what it wrote, and refuses folders and tokens of others', { skip }, async (t) => {
  const { service, output } = await siteOf(t);
  const run = (to: string, token = 'cur') =>
    accession(['render', 'copy', EXAMPLE, to], {
      env: { ACCESSION_URL: service.url, ACCESSION_TOKEN: token },
    });
  const { status, stderr } = await run(output);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^6 pages written, 0 removed, 6 in /);
  const foreign = await run(dirname(output));
  assert.equal(foreign.status, 1);
  assert.match(foreign.stderr, /has files, and none that this command has noted/);
  const zone = await run(`${output}2`, 'ann');
  assert.equal(zone.status, 1);
  assert.match(zone.stderr, /copy: expected a token that curates/);
});
