/** The index of references: what refers to what, and what refers to nothing. */
import assert from 'node:assert/strict';
import { MOST_COUNTED } from '../read/links.ts';
import { type Change, type DanglingReference, type Link, linkLines, type RecordStore } from '../store.ts';
import { BY, type Case, expand, record, refuses } from './subject.ts';

const link = (pid: string, path = '/friend', slot = 'friend'): Link => ({ iri: expand(pid)!, slot, path });

const linked = (pid: string, ...links: Link[]): Change => ({
  put: { ...record(pid), links: linkLines(links) },
});

const referrers = async (store: RecordStore, pid: string) =>
  (await store.links.to(expand(pid)!, { offset: 0, limit: 100 })).map((one) => `${one.pid} ${one.path}`);

async function dangling(store: RecordStore): Promise<DanglingReference[]> {
  const found: DanglingReference[] = [];
  let page = await store.links.dangling();
  found.push(...page.references);
  while (page.next) {
    page = await store.links.dangling(page.next);
    found.push(...page.references);
  }
  return found;
}

export function linkContract(it: Case): void {
  it('keeps the links of records in their writes, over reopening', async (store, reopen) => {
    await store.write([linked('ex:a', link('ex:b'), link('ex:c', '/peers/0', 'peers'))], BY);
    await store.write([linked('ex:d', link('ex:b', '/x'), link('ex:b', '/y'))], BY);
    await store.write([linked('ex:b', link('ex:a'))], BY);
    assert.deepEqual(await store.links.from(expand('ex:a')!, 10), [
      link('ex:b'),
      link('ex:c', '/peers/0', 'peers'),
    ]);
    const { links } = await reopen();
    assert.equal(await links.countTo(expand('ex:b')!), 2);
    assert.deepEqual(await links.to(expand('ex:a')!, { offset: 0, limit: 5 }), [
      { pid: 'ex:b', iri: expand('ex:b'), className: 'Person', slot: 'friend', path: '/friend' },
    ]);
  });

  it('replaces the links of a record with the record, and removes them with it', async (store) => {
    await store.write([linked('ex:a', link('ex:b'), link('ex:c', '/x'))], BY);
    await store.write([linked('ex:a', link('ex:c', '/x'), link('ex:d', '/y'))], BY);
    assert.deepEqual(await referrers(store, 'ex:b'), []);
    assert.deepEqual(await referrers(store, 'ex:c'), ['ex:a /x']);
    await store.write([{ delete: expand('ex:a')! }], BY);
    assert.deepEqual(await referrers(store, 'ex:d'), []);
    assert.equal(await store.links.countTo(expand('ex:c')!), 0);
  });

  it('keeps links as they were if the write is refused', async (store) => {
    await store.write([linked('ex:a', link('ex:b'))], BY);
    const both = [linked('ex:a', link('ex:c')), { delete: expand('ex:none')! }];
    await refuses(store.write(both, BY), 'record_missing');
    assert.deepEqual(await referrers(store, 'ex:b'), ['ex:a /friend']);
  });

  it('finds references to records that are not there', async (store) => {
    await store.write([linked('ex:a', link('ex:b'), link('ex:c', '/x')), linked('ex:b')], BY);
    const [one, ...others] = await dangling(store);
    assert.deepEqual(others, []);
    assert.deepEqual([one?.pid, one?.to, one?.path], ['ex:a', expand('ex:c'), '/x']);
    await store.write([linked('ex:c')], BY);
    assert.deepEqual(await dangling(store), []);
    await store.write([{ delete: expand('ex:b')! }], BY);
    assert.deepEqual(
      (await dangling(store)).map(({ to }) => to),
      [expand('ex:b')],
    );
  });

  it('refuses to delete a record that others refer to, if asked to', async (store) => {
    await store.write([linked('ex:a', link('ex:b')), linked('ex:b', link('ex:b', '/self'))], BY);
    const unreferenced = { delete: expand('ex:b')!, unreferenced: true };
    await refuses(store.write([unreferenced], BY), 'record_referenced');
    assert.ok(await store.get(expand('ex:b')!));
    await store.write([{ delete: expand('ex:a')! }, unreferenced], BY);
    assert.equal(await store.get(expand('ex:b')!), undefined);
  });

  it('refuses to delete what the same write, or the one before it, refers to', async (store) => {
    await store.write([linked('ex:b'), linked('ex:old', link('ex:b'))], BY);
    const unreferenced = { delete: expand('ex:b')!, unreferenced: true };
    const replaced = linked('ex:old');
    const both = [replaced, linked('ex:new', link('ex:b', '/x'), link('ex:b', '/y'))];
    await assert.rejects(store.write([...both, unreferenced], BY), /: 1 record refers to it/);
    const [, deleted] = await Promise.allSettled([store.write(both, BY), store.write([unreferenced], BY)]);
    assert.equal(deleted?.status, 'rejected');
    assert.deepEqual(await referrers(store, 'ex:b'), ['ex:new /x', 'ex:new /y']);
    assert.equal(await store.links.countTo(expand('ex:b')!), 1);
    await store.write([{ delete: expand('ex:new')! }, linked('ex:new'), unreferenced], BY);
    assert.equal(await store.get(expand('ex:b')!), undefined);
  });

  it('counts references up to a number', async (store) => {
    const many = Array.from({ length: MOST_COUNTED + 1 }, (_, at) => link('ex:hub', `/${at}`));
    await store.write(
      [linked('ex:a', ...many.slice(0, MOST_COUNTED - 1)), linked('ex:b', link('ex:hub'))],
      BY,
    );
    assert.equal(await store.links.countTo(expand('ex:hub')!), 2);
    await store.write([linked('ex:c', ...many), linked('ex:hub')], BY);
    assert.equal(await store.links.countTo(expand('ex:hub')!), MOST_COUNTED);
    for (const most of [0, 7, MOST_COUNTED + 5])
      assert.equal(await store.links.countReferencesTo(expand('ex:hub')!, most), most);
    assert.equal(await store.links.countReferencesTo(expand('ex:hub')!, 1e6), 2 * MOST_COUNTED + 1);
    const deleted = store.write([{ delete: expand('ex:hub')!, unreferenced: true }], BY);
    await assert.rejects(deleted, /it has 1000 or more references/);
  });

  it('keeps links to targets of any length, at paths of any length', async (store) => {
    const links = [link(`ex:${'b'.repeat(5000)}`, `/${'p'.repeat(5000)}`), link('ex:c', '/"z\n')];
    await store.write([linked('ex:a', ...links)], BY);
    assert.deepEqual((await store.links.from(expand('ex:a')!, 10)).map(({ iri }) => iri).sort(), [
      links[0]?.iri,
      links[1]?.iri,
    ]);
    const [to] = await store.links.to(links[0]?.iri ?? '', { offset: 0, limit: 5 });
    assert.equal(to?.path, links[0]?.path);
    assert.equal((await dangling(store)).length, 2);
  });

  it('pages through references and through those to records that are not there', async (store) => {
    const many = Array.from({ length: 2100 }, (_, i) => link(`ex:none-${i % 700}`, `/${i}`));
    await store.write([linked('ex:a', ...many)], BY);
    assert.equal(new Set((await dangling(store)).map(({ path }) => path)).size, 2100);
    const more = Array.from({ length: 4500 }, (_, i) =>
      link(i % 9 === 0 ? `ex:some-${i}` : 'ex:none-7', `/more/${i}`),
    );
    await store.write([linked('ex:b', ...more)], BY);
    const found = await dangling(store);
    const inOrder = found.map(({ to }) => to);
    assert.deepEqual(inOrder, inOrder.toSorted());
    assert.deepEqual([found.length, new Set(found.map(({ path }) => path)).size], [6600, 6600]);
    await store.write([linked('ex:b')], BY);
    const pages = [0, 2].map((offset) => store.links.to(expand('ex:none-7')!, { offset, limit: 2 }));
    const paths = (await Promise.all(pages)).flat().map(({ path }) => path);
    assert.deepEqual(paths.sort(), ['/1407', '/7', '/707']);
  });
}
