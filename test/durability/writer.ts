/**
 * A service that is there to be killed. Clients change the same collection at the same time, each its own records, and each
 * line on standard output says what one of them is about to do, or what became of it (`Line`).
 *
 *     node writer.ts <store directory> <round> [database URL]
 */
import '../support/kill-writer.ts';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { ADMIN } from '../support/app.ts';
import {
  type Answer,
  contentOf,
  HAS,
  type Line,
  LOST,
  openWorld,
  type Part,
  PEOPLE,
  type Person,
  personOf,
  send,
  startingPeople,
} from './world.ts';

const [root = '', round = '0', databaseUrl = ''] = process.argv.slice(2);
/** The service ends when its thread that writes has. */
let ending: Promise<never> | undefined;
const app = await openWorld(root, databaseUrl, () => {
  ending = app.close().then(() => process.exit(LOST));
});
let seed = Number(round) + 1;
let serial = 0;

/** A small generator, so that a round can be repeated. */
function random(below: number): number {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * below);
}

/** Writes a line at once: what is written has reached the test, whatever becomes of this process. */
function tell(line: Line): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      // The pipe is full until the test reads on.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

const request = (method: string, url: string, token: string, json?: unknown) =>
  send(app, method, url, token, json);

/** Refusals that other clients cause: by a schema change at the same time, or because too much changes. */
const EXPECTED = [400, 404, 409, 412, 422, 503];

/** Makes a request that changes something. @returns the answer, unless it was refused */
async function act(
  name: string,
  parts: readonly Part[],
  asked: Promise<Answer> | (() => Promise<Answer>),
  madeOf: (answer: Answer) => readonly number[] = () => parts.map((_, at) => at),
): Promise<Answer | undefined> {
  serial += 1;
  const mine = serial;
  tell({ is: 'try', serial: mine, name, parts });
  const answer = await (typeof asked === 'function' ? asked() : asked);
  // The answer says that it may have been made, or some of it: so it stays in progress.
  if (answer.text.includes('unknown whether')) return undefined;
  const isDone = answer.status < 300;
  if (isDone) tell({ is: 'ack', serial: mine, made: madeOf(answer) });
  else tell({ is: 'refused', serial: mine, status: answer.status, text: answer.text });
  if (!isDone && !EXPECTED.includes(answer.status)) throw new Error(`${name}: ${answer.text}`);
  return isDone ? answer : undefined;
}

type Area = 'curated' | 'zone';
/** Below which paths an area is read, and written by those who may. */
const PATHS = {
  curated: { read: 'curated', write: 'curated/', token: 'cora' },
  zone: { read: 'incoming/ann', write: '', token: 'ann' },
};

const schemaNow = async () =>
  (JSON.parse((await request('GET', '/server', 'cora')).text) as { collections: { schema: string }[] })
    .collections[0]!.schema;
let isFirst = (await schemaNow()).endsWith('one.yaml');

const classNow = (kind: string) => (kind === 'Person' && !isFirst ? 'Human' : kind);

function formNow({ kind: _, mail, ...others }: Person): object {
  return { ...others, ...(mail !== undefined && { [isFirst ? 'mail' : 'email']: mail }) };
}

async function read(area: Area, pid: string): Promise<Person | undefined> {
  const { text } = await request('GET', `/c/${PATHS[area].read}/record?pid=${pid}`, 'cora');
  const person = text === 'null' ? undefined : personOf(text);
  // A former pid leads to the record that was renamed.
  return person?.pid === pid ? person : undefined;
}

const put = (area: Area, person: Person): Part[number] => [`${area} ${person.pid}`, contentOf(person)];
const gone = (area: Area, pid: string): Part[number] => [`${area} ${pid}`, null];

function store(area: Area, person: Person) {
  const { write, token } = PATHS[area];
  const url = `/c/${write}record/${classNow(person.kind)}`;
  return act(`store ${area}`, [[put(area, person)]], () => request('POST', url, token, formNow(person)));
}

function remove(area: Area, pid: string) {
  const { write, token } = PATHS[area];
  return act(`delete ${area}`, [[gone(area, pid)]], () =>
    request('DELETE', `/c/${write}record?pid=${pid}`, token),
  );
}

function storeAll(area: Area, people: readonly Person[], query = '') {
  const { write, token } = PATHS[area];
  const url = `/-/c/${write}records/${classNow('Person')}?atomic=true${query}`;
  const parts = [people.map((person) => put(area, person))];
  return act(`batch ${area}`, parts, () => request('POST', url, token, people.map(formNow)));
}

/** Stores people in the states in which they are read; other clients may change them meanwhile, and each is its own part. */
async function storeAsRead(area: Area, people: readonly Person[]) {
  const { read, write, token } = PATHS[area];
  const pids = people.map(({ pid }) => pid);
  const { text } = await request('POST', `/-/c/${read}/read`, 'cora', pids);
  const found = JSON.parse(text) as { etag?: string }[];
  const items = people.map((person, at) => {
    const etag = found[at]?.etag;
    return { record: formNow(person), ...(etag ? { if_match: etag } : { if_none_match: '*' }) };
  });
  const url = `/-/c/${write}records/${classNow('Person')}?conditional=true`;
  const parts = people.map((person): Part => [put(area, person)]);
  await act(`conditional batch ${area}`, parts, () => request('POST', url, token, items), madeIn(pids));
}

/** Of a response with a result for each item: which are made. */
const madeIn =
  (pids: readonly string[]) =>
  ({ text }: Answer) => {
    const found = JSON.parse(text) as
      | readonly { status: number; pid: string }[]
      | { results: readonly { status: number; pid: string }[] };
    const results = 'results' in found ? found.results : found;
    return results.filter(({ status }) => status === 200).map(({ pid }) => pids.indexOf(pid));
  };

async function removeAll(area: Area, pids: readonly string[]) {
  const { write, token } = PATHS[area];
  const present: string[] = [];
  for (const pid of pids) if (await read(area, pid)) present.push(pid);
  if (present.length === 0) return;
  const url = `/-/c/${write}records/?atomic=true`;
  await act(`delete batch ${area}`, [present.map((pid) => gone(area, pid))], () =>
    request('DELETE', url, token, present),
  );
}

const mailNow = () => `${round}.${serial}@x.org`;
const pidsOf = (letter: string, count: number) => Array.from({ length: count }, (_, n) => `ex:${letter}${n}`);
const sample = (pid: string, more: Partial<Person> = {}): Person => ({
  kind: 'Person',
  pid,
  mail: mailNow(),
  ...more,
});

async function storing(area: Area): Promise<void> {
  const pid = `ex:${area}${random(5)}`;
  if (random(4) === 0 && (await read(area, pid))) await remove(area, pid);
  else if (random(3) === 0) await store(area, { kind: 'Gadget', pid, weight: serial + 1000 * Number(round) });
  else await store(area, sample(pid));
}

async function storingBatches(): Promise<void> {
  const pids = pidsOf('b', 60);
  const people = pids.map((pid) => sample(pid));
  if (random(4) === 0) await removeAll('curated', pids);
  else if (random(2) === 0) await storeAsRead('curated', people);
  else await storeAll('curated', people);
}

/** A submission that refers to another one is accepted with it or rejected, and what was decided is undone. */
async function deciding(): Promise<void> {
  const [main, other] = ['ex:d0', 'ex:d1'];
  for (const area of ['zone', 'curated'] as const)
    for (const pid of [main, other]) if (await read(area, pid)) await remove(area, pid);
  const former = random(2) === 0 ? sample(main) : undefined;
  if (former && !(await store('curated', former))) return;
  const [changed, added] = [sample(main, { friend: other, mail: `new${mailNow()}` }), sample(other)];
  if (!(await store('zone', added)) || !(await store('zone', changed))) return;
  const digests: string[] = [];
  for (const pid of [main, other]) {
    const { status, text } = await request('GET', `/-/c/review/item?label=ann&pid=${pid}`, 'cora');
    if (status !== 200) return;
    digests.push((JSON.parse(text) as { digest: string }).digest);
  }
  const body = { label: 'ann', pid: main, digest: digests[0] };
  const decide = (name: string, part: Part, more: object) =>
    act(name, [part], () => request('POST', '/-/c/review/decisions', 'cora', { ...body, ...more }));
  if (random(4) === 0) {
    await decide('reject', [[`decided ${main}`, '+']], { decision: 'reject', reason: 'no' });
    return;
  }
  const accepted: Part = [
    ...[put('curated', changed), put('curated', added), gone('zone', main), gone('zone', other)],
    ...[main, other].map((pid) => [`decided ${pid}`, '+'] as const),
  ];
  const references = { with_references: [{ pid: other, digest: digests[1] }] };
  const answer = await decide('accept', accepted, { decision: 'accept', ...references });
  if (!answer || random(2) === 0) return;
  const undone: Part = [
    ...[former ? put('curated', former) : gone('curated', main), gone('curated', other)],
    ...[put('zone', changed), put('zone', added)],
    ...[main, other].map((pid) => [`undone ${pid}`, '+'] as const),
  ];
  const { id } = JSON.parse(answer.text) as { id: string };
  await act('undo decision', [undone], () => request('POST', `/-/c/review/decisions/${id}/undo`, 'cora', {}));
}

/** Submissions of a batch are accepted by a filter, or as a list of decisions: each is wholly accepted or not. */
async function decidingMany(): Promise<void> {
  const pids = pidsOf('k', 20);
  for (const area of ['zone', 'curated'] as const) await removeAll(area, pids);
  const batch = `${round}.${serial}`;
  const people = pids.map((pid) => sample(pid));
  if (!(await storeAll('zone', people, `&batch=${batch}`))) return;
  const parts = people.map(
    (one): Part => [put('curated', one), gone('zone', one.pid), [`decided ${one.pid}`, '+']],
  );
  const madeOf = madeIn(pids);
  if (random(2) === 0) {
    const body = { filter: { batch }, expected: pids.length, decision: 'accept' };
    await act(
      'accept by filter',
      parts,
      () => request('POST', '/-/c/review/decisions/by-filter', 'cora', body),
      madeOf,
    );
    return;
  }
  const { text } = await request('GET', `/-/c/review/?batch=${batch}&size=100`, 'cora');
  const { items } = JSON.parse(text) as { items: { pid: string; digest: string }[] };
  const bodies = items.map(({ pid, digest }) => ({ label: 'ann', pid, digest, decision: 'accept' }));
  if (bodies.length > 0)
    await act('accept many', parts, () => request('POST', '/-/c/review/decisions', 'cora', bodies), madeOf);
}

/** A hub to which all refer is renamed, two records are merged, and either may be undone. */
async function moving(): Promise<void> {
  const pids = ['ex:hub1', 'ex:hub2', ...pidsOf('p', PEOPLE)];
  const people = new Map<string, Person>();
  for (const pid of pids) {
    const person = await read('curated', pid);
    if (person) people.set(pid, person);
  }
  const undo = (kind: string, id: string, part: Part) =>
    act(`undo ${kind}`, [[...part, [`undone ${kind}`, '+']]], () =>
      request('POST', `/-/c/moves/${id}/undo`, 'cora', {}),
    );
  const back = (part: Part): Part =>
    part.map(([key]) => {
      const before = people.get(key.slice('curated '.length));
      return before ? put('curated', before) : [key, null];
    });
  const renamed = (pid: string | undefined, from: string, to: string) => (pid === from ? to : pid);
  const referring = (from: string, to: string, except: readonly string[]) =>
    [...people.values()]
      .filter(({ pid }) => !except.includes(pid))
      .filter(({ friend, friends = [] }) => friend === from || friends.includes(from))
      .map((person) => put('curated', redirected(person, from, to)));
  const redirected = ({ friend, friends, ...person }: Person, from: string, to: string): Person => ({
    ...person,
    ...(friend !== undefined && { friend: renamed(friend, from, to)! }),
    ...(friends !== undefined && { friends: friends.map((one) => renamed(one, from, to)!) }),
  });
  const move = async (kind: string, part: Part, body: object) => {
    const made: Part = [...part, [`made ${kind}`, '+']];
    const answer = await act(kind, [made], () => request('POST', `/-/c/curated/${kind}`, 'cora', body));
    return answer && (JSON.parse(answer.text) as { id: string }).id;
  };
  const [keep, drop] = [people.get('ex:p0')!, people.get('ex:p1')];
  if (!drop) {
    // A kill between a merge and its undo has left the merge.
    await storeAll('curated', startingPeople(people.has('ex:hub1') ? 'ex:hub1' : 'ex:hub2'));
    return;
  }
  if (random(2) === 0) {
    const [from, to] = people.has('ex:hub1') ? ['ex:hub1', 'ex:hub2'] : ['ex:hub2', 'ex:hub1'];
    const hub = redirected(people.get(from)!, from, to);
    const part: Part = [
      gone('curated', from),
      put('curated', { ...hub, pid: to }),
      ...referring(from, to, [from]),
    ];
    const id = await move('rename', part, { from, to });
    if (id !== undefined && random(2) === 0) await undo('rename', id, back(part));
    return;
  }
  const merged: Person = { ...keep, nick: drop.nick! };
  const part: Part = [
    put('curated', merged),
    gone('curated', 'ex:p1'),
    ...referring('ex:p1', 'ex:p0', ['ex:p0', 'ex:p1']),
  ];
  const id = await move('merge', part, {
    keep: 'ex:p0',
    drop: 'ex:p1',
    take: { [isFirst ? '/mail' : '/email']: 'keep' },
  });
  if (id !== undefined) await undo('merge', id, back(part));
}

/** The collection is switched to the other schema. An undo is possible only if nothing else changes meanwhile. */
async function switching(isAlone: boolean): Promise<void> {
  const [from, to] = isFirst ? ['one.yaml', 'two.yaml'] : ['two.yaml', 'one.yaml'];
  const rehearsed = await request('POST', '/-/c/rehearse', ADMIN, { address: join(root, to!) });
  if (rehearsed.status !== 200) throw new Error(rehearsed.text);
  const { id } = JSON.parse(rehearsed.text) as { id: string };
  const part: Part = [
    ['schema', to!],
    ['made switch', '+'],
  ];
  const done = await act('switch', [part], () =>
    request('POST', `/-/c/rehearsals/${id}/switch`, ADMIN, { if_valid: true }),
  );
  if (!done) return;
  isFirst = !isFirst;
  if (!isAlone) {
    await delay(random(150));
    return;
  }
  const { id: plan } = JSON.parse(done.text) as { id: string };
  const taken: Part = [
    ['schema', from!],
    ['undone switch', '+'],
  ];
  if (await act('undo switch', [taken], () => request('POST', `/-/c/switches/${plan}/undo`, ADMIN, {})))
    isFirst = !isFirst;
}

async function configuring(): Promise<void> {
  const user = `${round}.${serial}`;
  const token = { name: 'count', user_id: user, representation: 'count', collections: {} };
  await act('configure', [[['count', user]]], () => request('PUT', '/tokens', ADMIN, token));
  await delay(random(50));
}

/** Other clients, and the end of the service, have their turn in between: requests of this process alone leave them none. */
async function untilTheEnd(work: () => Promise<void>): Promise<void> {
  while (!ending) {
    await work();
    await nextTurn();
  }
}

tell({ is: 'open' });
const clients = [
  ...[() => storing('curated'), () => storing('zone')],
  ...[storingBatches, configuring],
  ...(HAS.review ? [deciding, decidingMany] : []),
  ...(HAS.curate ? [moving] : []),
  ...(HAS.migrate ? [() => switching(false)] : []),
];
const isAlone = HAS.migrate && Number(round) % 4 === 3;
await Promise.all((isAlone ? [() => switching(true)] : clients).map(untilTheEnd)).catch((error) => {
  // A service that is closed takes no more requests.
  if (!ending) throw error;
});
await ending;
