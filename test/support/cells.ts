/** A collection whose schema names terms of the Cell Ontology: the vocabulary `cl`, read from a file of its store. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { vocabularyFile } from '#linkml-test/vocabularies.ts';
import type { AppOptions } from '../../src/app.ts';
import { missingTerms } from '../../src/core/collections/terms.ts';
import { type TestConfiguration, type TestService, testApp } from './app.ts';
import { eventually } from './eventually.ts';

const SCHEMA = `
id: https://example.org/samples
name: samples
prefixes:
  ex: https://example.org/
  CL: http://purl.obolibrary.org/obo/CL_
  linkml: https://w3id.org/linkml/
imports: [linkml:types]
default_prefix: ex
default_range: string
classes:
  Thing:
    attributes:
      pid: { identifier: true, range: uriorcurie }
  Sample:
    is_a: Thing
    attributes:
      cell: { range: Neuron }
      found:
        range: Found
        inlined: true
        bindings: [{ binds_value_of: id, range: Neuron, obligation_level: REQUIRED }]
      note: {}
  Found:
    attributes: { id: {}, label: {} }
enums:
  Neuron: { reachable_from: { source_ontology: obo:cl, source_nodes: [CL:0000540], include_self: true } }
`;

export type Cells = TestService & {
  /** The file with the vocabulary. */
  readonly source: string;
  /** Changes a term of the source, `CL_0000100`; undefined removes it. */
  edit(name: string, term: object | undefined): void;
  /** Waits until all vocabularies have snapshots. */
  taken(): Promise<void>;
  /** Stores a sample as the curator. @returns the status, and the types of the problems */
  put(pid: string, record: object): Promise<[number, ...string[]]>;
};

/** A store directory with the schema and the source of the vocabulary, and the collection in it. */
export function cellsStore(t: Pick<TestContext, 'after'>) {
  const store = mkdtempSync(join(tmpdir(), 'accession-cells-'));
  const [schema, source] = [join(store, 'samples.yaml'), join(store, 'cells.json')];
  writeFileSync(schema, SCHEMA);
  copyFileSync(vocabularyFile('cl'), source);
  t.after(() => rmSync(store, { recursive: true, force: true }));
  return { store, source, collection: { schema, vocabularies: { cl: { source: 'cells.json' } } } };
}

/** @param attributes of the collection `samples` */
export async function cells(
  t: Pick<TestContext, 'after'>,
  attributes: object = {},
  { tokens, collections, ...options }: Partial<AppOptions> & TestConfiguration = {},
): Promise<Cells> {
  const { store, source, collection } = cellsStore(t);
  const configuration = {
    collections: { samples: { ...collection, ...attributes }, ...collections },
    tokens: { cleo: { samples: 'CURATOR' }, ann: { samples: 'WRITE_COLLECTION' }, ...tokens },
  };
  const service = await testApp(t, configuration, { ...options, store });
  return {
    ...service,
    get app() {
      return service.app;
    },
    source,
    edit(name, term) {
      const id = `http://purl.obolibrary.org/obo/${name}`;
      const document = JSON.parse(readFileSync(source, 'utf8'));
      const [graph] = document.graphs;
      graph.nodes = graph.nodes.flatMap((node: { id: string }) =>
        node.id !== id ? [node] : term ? [{ ...node, ...term }] : [],
      );
      if (!term) graph.edges = graph.edges.filter(({ sub }: { sub: string }) => sub !== id);
      writeFileSync(source, JSON.stringify(document));
    },
    async taken() {
      const missing = () => [...service.app.registry.current().collections.values()].flatMap(missingTerms);
      await eventually('all vocabularies', () => missing().length === 0);
    },
    async put(pid, record) {
      const answer = await service.request('POST', '/samples/curated/record/Sample', {
        token: 'cleo',
        json: { pid: `ex:${pid}`, ...record },
      });
      if (answer.status === 200) return [200];
      const { detail } = answer.json<{ detail: { type: string }[] | string }>();
      return [answer.status, ...(typeof detail === 'string' ? [detail] : detail.map(({ type }) => type))];
    },
  };
}
