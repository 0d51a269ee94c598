/** The commands of the peer's client that are run against both services, in an order in which each finds what the ones before left. */
import { secretOf } from './world.ts';

type Command = {
  readonly args: readonly string[];
  readonly secret: string | undefined;
  readonly stdin: string;
};

const WRITER = secretOf('WRITE_COLLECTION');
const CURATOR = secretOf('CURATOR');
const LABEL = 'write_collection';

/**
 * Every command with its options, on one collection.
 *
 * @param url the address of the service
 * @param name the collection
 * @param folder an empty directory for exports and change sets
 */
export function commands(url: string, name: string, folder: string): Command[] {
  const people = Array.from({ length: 7 }, (_, i) => ({ pid: `ex:c${i}`, name: `Client ${i}` }));
  const changed = people.map((person) => ({ ...person, name: `${person.name}, changed` }));
  const projects = [
    { pid: 'ex:k0', name: 'Kept' },
    { pid: 'ex:k1', name: 'Kept too', members: ['ex:c1'] },
  ];
  const typed = [
    { pid: 'ex:s0', schema_type: 'lab:Student', count: 3 },
    { pid: 'ex:s1', schema_type: 'schema:Person', name: 'S' },
  ];
  const broken = [
    { pid: 'ex:b0', name: 7 },
    { pid: 'ex:b1', name: 'fine' },
  ];
  const as = (secret: string | undefined, args: string[], records?: readonly object[]): Command => ({
    args,
    secret,
    stdin: (records ?? []).map((record) => `${JSON.stringify(record)}\n`).join(''),
  });
  const get = (secret: string, ...options: string[]) => as(secret, ['get-records', ...options, url, name]);
  return [
    as(WRITER, ['post-records', url, name, 'Person'], people),
    as(WRITER, ['post-records', url, name, '*'], typed),
    as(WRITER, ['post-records', '--ignore-errors', url, name, 'Person'], broken),
    as(WRITER, ['post-records', '--dry-run', url, name, 'Person'], people),
    as(undefined, ['post-records', url, name, 'Person'], people),
    as(CURATOR, ['post-records', '--curated', '--author_id', 'someone', url, name, 'Project'], projects),
    as(CURATOR, ['post-records', '--curated', '--only-if-modifying', url, name, 'Project'], projects),
    get(WRITER),
    get(WRITER, '-C', 'Person'),
    get(WRITER, '-C', 'Unicorn'),
    get(WRITER, '-f', 'ttl'),
    get(WRITER, '-p', 'ex:c1'),
    get(WRITER, '-p', 'ex:c1', '-f', 'ttl'),
    get(WRITER, '-p', 'ex:absent'),
    get(WRITER, '-P', '-s', '3', '-F', '2', '-l', '2'),
    get(WRITER, '--stats', '-s', '2'),
    get(WRITER, '-m', 'Client%'),
    get(CURATOR, '-c'),
    get(CURATOR, '-c', '-C', 'Thing'),
    get(CURATOR, '-i', '-'),
    get(CURATOR, '-i', LABEL),
    get(CURATOR, '-i', LABEL, '-p', 'ex:c1'),
    as(WRITER, ['read-pages', '-s', '2', '-l', '3', '-P', `${url}/${name}/records/p/`]),
    as(WRITER, ['read-pages', '--stats', `${url}/${name}/records/p/Person`]),
    as(WRITER, ['read-pages', '-f', 'ttl', `${url}/${name}/records/p/Person`]),
    as(CURATOR, ['list-incoming', url, name]),
    as(CURATOR, ['list-incoming', '-s', url, name]),
    as(WRITER, ['list-incoming', url, name]),
    as(CURATOR, ['export', url, name, `${folder}/as-json`]),
    as(CURATOR, ['export', '-f', 'yaml', '-k', url, name, `${folder}/as-yaml`]),
    as(CURATOR, ['import', '-s', url, '-c', 'open', `${folder}/as-json`]),
    as(CURATOR, ['get-records', '-c', url, 'open']),
    as(CURATOR, ['get-records', '-i', LABEL, url, 'open']),
    as(CURATOR, ['auto-curate', '--list-labels', url, name]),
    as(CURATOR, ['auto-curate', '--list-records', url, name, LABEL]),
    as(CURATOR, ['auto-curate', '--dry-run', url, name, LABEL]),
    as(CURATOR, ['auto-curate', '--keep-inboxes', '-p', 'ex:c1', url, name, LABEL]),
    as(CURATOR, ['auto-curate', '--author_id', 'someone', url, name, LABEL]),
    get(CURATOR, '-c'),
    get(CURATOR, '-i', LABEL),
    as(WRITER, ['post-records', url, name, 'Person'], changed),
    as(CURATOR, ['auto-curate', '--create-change-set', `${folder}/changes`, url, name, LABEL]),
    as(CURATOR, ['auto-curate', '--post-change-set', `${folder}/changes`, url, name, LABEL]),
    get(CURATOR, '-c'),
    as(WRITER, ['post-records', url, name, 'Person'], people),
    as(WRITER, ['delete-records', url, name, 'ex:c0', 'https://example.org/ns/c1']),
    as(WRITER, ['delete-records', '--json-error-messages', '--ignore-errors', url, name, 'ex:c0', 'ex:c2']),
    as(CURATOR, ['delete-records', '--curated', '--class', 'Project', url, name]),
    as(CURATOR, ['delete-records', '-i', LABEL, url, name, 'ex:c3']),
    get(WRITER),
    as(CURATOR, ['clean-incoming', '--list-only', url, name, LABEL]),
    as(CURATOR, ['clean-incoming', url, name, LABEL]),
    get(CURATOR, '-i', LABEL),
    as(WRITER, ['maintenance', url, name, 'On']),
    as(CURATOR, ['maintenance', url, name, 'On']),
    get(WRITER),
    get(CURATOR, '-c', '-C', 'Student'),
    as(CURATOR, ['maintenance', url, name, 'Off']),
    get(WRITER, '-C', 'Student'),
    as(CURATOR, ['clean-incoming', url, 'open', LABEL]),
    as(CURATOR, ['delete-records', '--curated', '--class', 'Person', url, 'open']),
    as(CURATOR, ['delete-records', '--curated', '--class', 'Student', url, 'open']),
    as(CURATOR, ['delete-records', '--curated', '--class', 'Project', url, 'open']),
  ];
}
