/** What the pages print that a newcomer runs on the example laboratory, or in an empty directory. */
import assert from 'node:assert/strict';
import { blocksOf } from './page.ts';

type Check = (outputs: readonly string[]) => void;

/** Pages about the laboratory, in an order in which each finds the records that it needs. */
export const LABORATORY_PAGES: Readonly<Record<string, Check>> = {
  'docs/http.md': (outputs) => {
    const all = outputs.join('');
    // The record of the example for `validate` has no family name.
    assert.equal(all.match(/"detail":/g)?.length, 1, all);
    assert.match(all, /family_name/);
    const [, me, server, records, conditions, many, conditional, search] = outputs;
    assert.match(me!, /"user_id":"submitter@example\.org"/);
    assert.match(server!, /"laboratory".*"students","submitter"/s);
    assert.match(records!, /"total":60/);
    assert.equal(conditions!.trim(), '304');
    assert.match(many!, /"index":0/);
    assert.match(conditional!, /"record":.*"status":200/s);
    assert.match(search!, /"complete":true/);
    assert.match(all, /"status":"ok"/);
  },
  'docs/how-to/follow-changes.md': ([, read, waited, printed]) => {
    assert.match(read!, /"revision":1.*"kind":"created".*"next":/);
    assert.match(waited!, /"pid":"labid:person-kit-moss".*"kind":"created"/);
    assert.equal(printed!.trim(), '');
  },
  'docs/how-to/work-with-spreadsheets.md': ([, template, imported, exported]) => {
    assert.match(template!, /^pid\*,name\*,family_name\*,/);
    assert.equal(imported, '');
    assert.equal(exported, '');
  },
  'docs/how-to/build-a-site.md': ([, templates, rendered, updated]) => {
    assert.equal(templates, '');
    assert.match(rendered!, /people\.html.*labid-person-.*<h1>Ada Abe<\/h1>/s);
    assert.match(updated!, /<h1>Ada B\. Abe<\/h1>/);
  },
  'docs/configuration.md': ([hash, made]) => {
    assert.match(hash!, /^[0-9a-f]{64} /);
    assert.match(made!, /"name":"bob".*"representation":/);
  },
  'docs/linkml-library.md': ([types, context]) => assert.equal(`${types}${context}`, ''),
};

/** Pages for users of the whole program: a module that the commands of a page need. */
export const NEEDS: Readonly<Record<string, string>> = {
  'docs/how-to/work-with-spreadsheets.md': 'tables',
  'docs/tutorial/write-a-schema.md': 'tables',
  'docs/how-to/build-a-site.md': 'expand',
};

/** What the reader of a page has already. */
const READERS_OWN: Readonly<Record<string, string>> = {
  'docs/configuration.md': 'secret=garden-gate admin=lab-admin',
  'docs/linkml-library.md':
    "curl -s -H 'X-Service-Token: lab-curator' http://127.0.0.1:8000/-/laboratory/schema > schema.yaml",
};

/** The commands of a page, with what its reader has already. */
export function commandsOf(page: string): string[] {
  return blocksOf(page).map((block, index) => (index > 0 ? block : `${READERS_OWN[page] ?? ''}\n${block}`));
}

/** Pages that need nothing but the command, and take seconds. */
export const OFFLINE_PAGES: Readonly<Record<string, Check>> = {
  'docs/tutorial/write-a-schema.md': ([small, checked, refused, table]) => {
    assert.match(small!, /^garden <https:\/\/example\.org\/garden>/);
    assert.match(checked!, /^Plant +yes/m);
    assert.match(checked!, /^sizes +Measurement/m);
    for (const slot of ['species', 'light', 'planted']) assert.match(refused!, new RegExp(`: ${slot}: `));
    assert.match(table!, /^pid\*,name\*,/);
  },
};

/** Pages that serve a store of their own. */
export const OTHER_PAGES: Readonly<Record<string, Check>> = {
  'docs/tutorial/ten-minutes.md': (outputs) => {
    const [, , , submitted, refused, , accepted, rejected, followed, again, read, history] = outputs;
    assert.match(submitted!, /Rosa canina.*garden:plant-1/s);
    assert.equal((JSON.parse(refused!) as { detail: unknown[] }).detail.length, 3);
    assert.match(accepted!, /"decision":"accept"/);
    assert.match(rejected!, /"decision":"reject"/);
    assert.match(followed!, /"status":"accepted"/);
    assert.match(followed!, /"reason":"Which bed\?"/);
    assert.match(again!, /"total":1/);
    assert.match(again!, /"standing":"waiting"/);
    assert.match(read!, /"Rosa canina"/);
    assert.match(history!, /"pages":.*ann@garden\.example/s);
  },
};
