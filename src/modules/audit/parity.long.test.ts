/** One audit log, written by us and by the peer in turns, reported by the peer and read by us. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { findPeer } from '../../../test/parity/peer.ts';
import { BY } from '../../core/storage/contract/subject.ts';
import { git, logged, openAudited, openRecords, scratch } from './parts.support.ts';

const found = await findPeer();
const skip = 'missing' in found ? found.missing : false;
const run = promisify(execFile);

/** Adds the records of the arguments, JSON texts, to the log in the first one. */
const ADD = `
import json, sys
from pathlib import Path
from dump_things_service.audit.gitaudit import GitAuditBackend
log = GitAuditBackend(Path(sys.argv[1]), 60)
for text in sys.argv[2:]:
    log.add_record(json.loads(text), 'peer-curator', 'peer-author')
log.flush()
`;

test('the peer reports and continues our log, and we continue and read its', { skip }, async (t) => {
  if ('missing' in found) return;
  const { python } = found.peer;
  const folder = await scratch(t);
  const directory = join(folder, 'log');
  let decided = 0;
  const ours = async (...texts: (string | undefined)[]) => {
    const { store, record, remove, close } = await openAudited(folder);
    for (const json of texts) await (json === undefined ? remove('ex:a') : record(json));
    const text = { pid: 'ex:d', iri: 'https://example.org/d', className: 'Thing' };
    const change = {
      put: { ...text, json: `{"n":${++decided},"pid":"ex:d"}` },
      note: { decision: `id${decided}` },
    };
    await store.write([change], BY);
    await close();
  };
  const peers = (...texts: string[]) => run(python, ['-c', ADD, directory, ...texts]);
  const reports = async () => {
    const { stdout } = await run(join(dirname(python), 'dump-things-gitaudit-report'), [directory, '.*']);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)['resulting-record']);
  };

  // An area of the peer has records already; an empty one with a log would count as lost.
  const area = await openRecords(join(folder, 'records'));
  const json = '{"pid":"ex:old"}';
  await area.store.write([{ put: { pid: 'ex:old', iri: 'ex:old', className: 'Thing', json } }], BY);
  await area.close();
  await peers('{"n":1,"pid":"ex:a"}', '{"name":"Älter: 😀","pid":"ex:b"}');
  await ours('{"n":2,"pid":"ex:a"}', '{"n":3,"pid":"ex:a"}', undefined);
  await peers('{"n":4,"pid":"ex:a"}', '{"n":5,"pid":"ex:a"}', '{"pid":"ex:c"}');
  await ours('{"n":6,"pid":"ex:a"}');
  const contents = ['n: 1', 'n: 2', 'n: 3', 'deleted: true', 'n: 4', 'n: 5', 'n: 6'];
  const expected = [
    ...contents.map((content) => `${content}\npid: ex:a\n`),
    "name: 'Älter: 😀'\npid: ex:b\n",
    'pid: ex:c\n',
    'n: 1\npid: ex:d\n',
    'n: 2\npid: ex:d\n',
  ];
  assert.deepEqual(await reports(), expected);
  assert.deepEqual(
    (await logged(directory, 'ex:a')).map(({ record }) => record?.n ?? 'deleted'),
    [1, 2, 3, 'deleted', 4, 5, 6],
    'what is adopted from the repository',
  );
  const change = await git(directory, 'log', '--grep=^Decision: id1$', '--format=%b', '-p', 'master');
  assert.match(
    change,
    /^\+n: 1$/m,
    'git finds the change of a decision, and the peer has printed nothing of it',
  );

  await run(join(dirname(python), 'dump-things-gitaudit-rebuild-index'), [directory]);
  assert.deepEqual(await reports(), expected);
  assert.equal(await git(directory, 'fsck', '--full', '--strict'), '');
});
