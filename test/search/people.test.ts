/** What people type finds what they look for, first, on both databases: before it is indexed and when it is. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readCursor } from '../../src/core/storage/cursors.ts';
import { VALUE_INDEX } from '../../src/core/storage/search/value-index.ts';
import { type TestService, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { ofTier } from '../support/tier.ts';
import { QUERIES } from './queries.ts';
import { RECORDS } from './records.ts';

const SCHEMA = join(import.meta.dirname, 'schema.yaml');

type Marked = { text: string; marks: [number, number][] };
type Found = {
  items: { pid: string }[];
  total: number;
  complete: boolean;
  matched?: string;
  searched_for?: string;
  did_you_mean?: string;
  highlights?: { title: Marked | null; snippet: Marked | null }[];
};

for (const type of ofTier(['sqlite', 'postgresql']))
  describe(`people search in a collection in ${type}`, () => {
    let service: Promise<TestService> | undefined;
    const ends: (() => void | Promise<void>)[] = [];
    after(async () => {
      for (const end of ends) await end();
    });
    const opened = async () => {
      service ??= (async () => {
        const made = await testApp(
          { after: (end) => void ends.push(end as () => void) },
          {
            collections: { lib: { schema: SCHEMA, backend: { type } } },
            tokens: { ann: { lib: 'READ_COLLECTION' }, curator: { lib: 'CURATOR' } },
          },
        );
        for (const [className, record] of RECORDS) {
          const stored = await made.request('POST', `/lib/curated/record/${className}`, {
            token: 'curator',
            json: record,
          });
          assert.equal(stored.status, 200, stored.text);
        }
        return made;
      })();
      return service;
    };
    const search = async (query: Readonly<Record<string, string>>) => {
      const { request } = await opened();
      const answer = await request('GET', `/-/lib/search?${new URLSearchParams(query)}`, { token: 'ann' });
      assert.equal(answer.status, 200, answer.text);
      return answer.json<Found>();
    };
    const pidsOf = ({ items }: Found) => items.map(({ pid }) => pid.replace('ex:', ''));
    const found = async (q: string) => pidsOf(await search({ q }));
    const isIndexed = async () => {
      const { app } = await opened();
      await eventually('the words are indexed', async () => {
        const words = app.projector.list().find(({ name }) => name === 'words');
        return words?.state === 'idle' && words.behind === 0;
      });
    };

    for (const when of ['before it is indexed', 'when it is indexed'])
      test(`and find what they look for ${when}`, async () => {
        if (when === 'when it is indexed') await isIndexed();
        const wrong: string[] = [];
        for (const [query, first] of QUERIES) {
          const pids = await found(query);
          // Records that are not in the index yet are in the order of their pids.
          const isRight = when === 'when it is indexed' ? pids[0] === first : pids.includes(first);
          if (!isRight)
            wrong.push(`${query}: expected ${first}, found ${pids.slice(0, 4).join(', ') || 'nothing'}`);
        }
        assert.deepEqual(wrong, []);
      });

    test('and words in titles come before words in texts', async () => {
      assert.deepEqual((await found('memory ')).slice(0, 1), ['mouse-memory']);
      assert.deepEqual((await found('mouse ')).slice(0, 2).sort(), ['mouse-atlas', 'mouse-memory']);
      assert.equal(
        (await search({ q: 'memory ', sort: 'pid' })).items.length,
        (await found('memory ')).length,
      );
    });

    test('and find whole words, not parts of others, while there are some', async () => {
      assert.equal((await found('rat ')).includes('datenschutz'), false);
      assert.equal((await found('rat ')).length, 1);
      assert.equal((await search({ q: 'hysteresi' })).total, 0);
      const parts = await search({ q: 'ouse ' });
      assert.equal(parts.matched, 'parts');
      assert.ok(pidsOf(parts).includes('mouse-memory'));
      assert.equal((await search({ q: 'mouse ' })).matched, 'words');
    });

    test('and are asked whether they meant another word', async () => {
      assert.equal((await search({ q: 'mosue' })).did_you_mean, 'mouse');
      assert.equal((await search({ q: 'mosue brain' })).did_you_mean, 'mouse brain');
      assert.equal((await search({ q: 'brain segmentatoin' })).did_you_mean, 'brain segmentation');
      assert.equal((await search({ q: 'strasburg' })).did_you_mean, 'strassburg');
      assert.equal((await search({ q: 'mouse' })).did_you_mean, undefined);
      assert.equal((await search({ q: 'xyzzyplugh' })).did_you_mean, undefined);
    });

    test('and learn what was searched in place of a reference that has more words than its record', async () => {
      const title = 'Spatial memory in the aging mouse brain';
      const reference = `Müller, J., & O’Hara, M. (2019). ${title}. Neuron, 101(3), 123–130`;
      const found = await search({ q: reference, highlight: 'true' });
      assert.deepEqual([found.searched_for, found.total, found.matched], [title, 1, 'words']);
      assert.equal(found.highlights?.[0]?.title?.marks.length, 7);
      const doi = '10.1016/j.neuron.2019.03.011';
      assert.equal((await search({ q: `${reference}. https://doi.org/${doi}.` })).searched_for, doi);
      assert.equal((await search({ q: title })).searched_for, undefined);
      const authors = Array.from({ length: 30 }, (_, at) => `Author${at}, A.`).join(', ');
      const long = await search({ q: `${authors} (2019). ${title}. Neuron`, highlight: 'true' });
      assert.deepEqual([long.searched_for, long.total, long.matched], [title, 1, 'words']);
      assert.equal(long.highlights?.[0]?.title?.marks.length, 7);
      assert.equal((await search({ q: 'Prof. Müller et al., 2019' })).searched_for, 'Müller 2019');
      assert.equal((await search({ q: '"Müller" and 2019' })).searched_for, undefined);
      const unknown = await search({ q: `Doe, J. (2020). ${title}s of other animals. Nature, 7` });
      assert.deepEqual([unknown.searched_for, unknown.total], [undefined, 0]);
    });

    test('and a word with a hyphen finds no records that have one of its parts alone', async () => {
      assert.deepEqual(await found('Größe-Vogel'), []);
      assert.deepEqual(await found('β-synuclein'), []);
      assert.deepEqual((await found('Müller-Jürgen')).includes('muller-ann'), false);
    });

    test('and see the words that they looked for', async () => {
      const shown = async (q: string) => {
        const { highlights = [] } = await search({ q, highlight: 'true' });
        const marked = (one: Marked | null | undefined) =>
          one?.marks.reduceRight(
            (text, [from, to]) => `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}`,
            one.text,
          );
        return [marked(highlights[0]?.title), marked(highlights[0]?.snippet)];
      };
      assert.deepEqual(await shown('spatial hippocampus'), [
        '[Spatial] memory in the aging mouse brain',
        'We trained mice in a water maze and recorded place cells in the [hippocampus]. Older animals ran slower, and the run of the experiment was repeated.',
      ]);
      assert.equal((await shown('jurgen muller'))[0], '[Jürgen] [Müller]');
      assert.equal((await shown('juergen'))[0], '[Jürgen] Müller');
      assert.equal((await shown('J. Müller -memory'))[0], '[Jürgen] [Müller]');
      assert.equal((await shown('J.-L. Lefèvre'))[0], '[Jean-Luc] [Lefèvre]');
      assert.equal((await shown('maeve ohara'))[0], '[Maeve] [O’Hara]');
      assert.equal(
        (await shown('"run of the mill" cortex'))[0],
        'No [run]-[of]-[the]-[mill] [cortex]: columns revisited',
      );
      assert.equal((await shown('大学の'))[0], '東京[大][学][の]脳科学研究');
      assert.equal(
        (await shown('framework c#'))[0],
        'A [framework] in .NET and [C#] for closed-loop experiments',
      );
      assert.equal((await shown('plasticity'))[0], '[Neuro\u00adplasticity] after stroke');
      assert.equal((await search({ q: 'mouse' })).highlights, undefined);
    });

    test('and get every match, page by page, in one order', async () => {
      const all = await found('the ');
      const pages: string[] = [];
      for (let page = 1; page <= 10; page++) {
        const one = await search({ q: 'the ', size: '2', page: String(page) });
        assert.deepEqual([one.total, one.complete], [all.length, true]);
        pages.push(...pidsOf(one));
      }
      assert.deepEqual(pages, all);
    });

    test('and look for words and values together', async () => {
      assert.deepEqual(await found('mouse ').then((pids) => pids.length > 2), true);
      assert.deepEqual(pidsOf(await search({ q: 'mouse ', license: 'PDDL' })), ['studyforrest']);
      assert.deepEqual(pidsOf(await search({ q: 'mouse ', class: 'Dataset', sort: '-title' })), [
        'studyforrest',
        'mouse-atlas',
      ]);
    });

    test('and find other words with the same stem in the language of the collection', async () => {
      const { request, restart } = await opened();
      const set = (search: object) =>
        request('PUT', '/-/lib/settings', { token: 'curator', json: { search } });
      const byValues = async () => {
        const { database, curated } = (await opened()).app.registry.collection('lib');
        const index = await readCursor(database, VALUE_INDEX.name, curated.area.id);
        return { index, found: await search({ license: 'PDDL', facet: 'license', sort: 'title' }) };
      };
      const { curated } = (await opened()).app.registry.collection('lib');
      await eventually(
        'the values are indexed',
        async () => (await byValues()).index?.[0] === (await curated.revision()),
      );
      const values = await byValues();
      assert.ok(values.found.total > 0);
      assert.equal((await search({ q: 'recording ' })).total, 0);
      assert.equal((await set({ language: 'english' })).status, 200);
      // Projections look for other versions once in a while, and at the start.
      await restart();
      await eventually('stems are found', async () => (await found('recording ')).length > 0);
      assert.deepEqual(await found('recording '), ['mouse-memory']);
      assert.deepEqual(await byValues(), values, 'the index of values knows no language');
      assert.deepEqual(await found('"recording" '), []);
      assert.deepEqual((await found('memories mice ')).sort(), ['mouse-memory', 'sleep']);
      assert.equal((await search({ q: 'patient ' })).matched, 'words');
      const { highlights } = await search({ q: 'recording ', highlight: 'true' });
      assert.deepEqual(
        highlights?.[0]?.snippet?.marks.map(([from, to]) => highlights[0]?.snippet?.text.slice(from, to)),
        ['recorded'],
      );
      assert.equal((await set({ language: 'klingon' })).status, 422);
    });

    test('and find what is stored, changed and deleted at once', async () => {
      const { request } = await opened();
      const store = async (title: string) => {
        const json = { pid: 'ex:new', title, abstract: 'Zebrafish.' };
        assert.equal(
          (await request('POST', '/lib/curated/record/Publication', { token: 'curator', json })).status,
          200,
        );
      };
      await store('Larvae of zebrafish');
      assert.deepEqual(await found('zebrafish larvae'), ['new']);
      await store('Adult zebrafish');
      assert.deepEqual(await found('zebrafish -larvae'), ['new']);
      assert.deepEqual(await found('zebrafish larvae'), []);
      await isIndexed();
      assert.deepEqual(await found('adult zebrafish'), ['new']);
      await request('DELETE', '/lib/curated/record?pid=ex:new', { token: 'curator' });
      assert.deepEqual(await found('adult zebrafish'), []);
    });
  });
