/** What the processes of the crash test have in common. */
import type { OpenOptions } from '../../src/storage/backends.ts';
import type { Change } from '../../src/storage/store.ts';

export const WRITERS = 6;
/** How many names each writer writes to: few, so that records are replaced, moved and deleted all the time. */
export const NAMES = 5;

export const optionsForCrash: OpenOptions = {
  schema: 'https://example.org/schema',
  expand: (pid) => pid.replace(/^ex:/, 'https://example.org/'),
  schemaTypeOf: (className) => `ex:${className}`,
};

/** The changes that set a name to a value: always two records, which must never be seen apart. */
export function putPair(name: string, value: string | undefined, className: string): Change[] {
  return [name, `${name}-twin`].map((each): Change => {
    const iri = `https://example.org/${each}`;
    if (value === undefined) return { delete: iri };
    const json = JSON.stringify({
      note: `${value} ${'padding '.repeat(40)}`,
      pid: `ex:${each}`,
      schema_type: `ex:${className}`,
      value,
    });
    return { put: { pid: `ex:${each}`, iri, className, json } };
  });
}
