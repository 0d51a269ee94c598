/** The records that the benchmarks of PostgreSQL store. */

const CLASSES = ['Person', 'Person', 'Publication', 'Instrument', 'Organization'];

/** A record of some 500 bytes, whose pid is spread over the whole order; `name` ends its name. */
export function numberedRecord(i: number, name: string) {
  const pid = `ex:${((i * 2654435761) % 4294967296).toString(16).padStart(8, '0')}-${i}`;
  const className = CLASSES[i % CLASSES.length] as string;
  const json = JSON.stringify({
    annotations: { 'ex:note': `Entry number ${i} of the benchmark, made by a program.` },
    description: `A ${className} of no particular importance, described in one sentence, and then in another one.`,
    name: `Name ${i} ${name}`,
    pid,
    schema_type: `ex:${className}`,
    see_also: [`https://example.org/page/${i}`, `https://example.com/other/${i % 313}`],
  });
  return { pid, iri: pid.replace('ex:', 'https://example.org/things/'), className, json };
}
