/**
 * OBO Graphs in JSON, as ontologies are published at the OBO Foundry. Files have gigabytes, so nodes and edges are cut out
 * of the bytes and parsed one by one.
 */
import { SUBCLASS_OF } from '../../terms/vocabulary.ts';
import type { SnapshotBuilder } from '../build-snapshot.ts';
import { aboutOf, notOfForm, type Pieces, type SourceAbout } from './source.ts';

type Property = { readonly pred?: string; readonly val?: string };

type Meta = {
  readonly definition?: { readonly val?: string };
  readonly synonyms?: readonly Property[];
  readonly basicPropertyValues?: readonly Property[];
  readonly deprecated?: boolean;
  readonly version?: string;
};

type Node = { readonly id: string; readonly lbl?: string; readonly type?: string; readonly meta?: Meta };
type Edge = { readonly sub: string; readonly pred: string; readonly obj: string };

/** Relations that the format abbreviates. */
const RELATIONS: Readonly<Record<string, string>> = {
  is_a: SUBCLASS_OF,
  subPropertyOf: 'http://www.w3.org/2000/01/rdf-schema#subPropertyOf',
  type: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
};

const REPLACED_BY = new Set(['http://purl.obolibrary.org/obo/IAO_0100001', 'IAO:0100001']);
const TITLE = /^(?:dc|dcterms|http:\/\/purl\.org\/dc\/(?:elements\/1\.1|terms)\/):?title$/;
const LICENSE = /^(?:dc|dcterms|http:\/\/purl\.org\/dc\/(?:elements\/1\.1|terms)\/):?(?:license|rights)$/;

export async function readObograph(pieces: Pieces, builder: SnapshotBuilder): Promise<SourceAbout> {
  const graphs: { id?: string; meta?: Meta }[] = [];
  const scanner = new GraphScanner((key, value) => {
    if (key === 'nodes') addNode(value as Node, builder);
    else if (key === 'edges') addEdge(value as Edge, builder);
    else if (key === 'id') graphs.push({ id: value as string });
    else graphs.push({ meta: value as Meta });
  });
  for await (const piece of pieces) scanner.feed(piece);
  scanner.end();
  const meta = graphs.find((graph) => graph.meta)?.meta;
  const values = meta?.basicPropertyValues ?? [];
  const valueOfProperty = (pattern: RegExp) => values.find(({ pred = '' }) => pattern.test(pred))?.val;
  const iris = graphs.map((graph) => graph.id).filter((id) => id !== undefined);
  return aboutOf(iris, {
    title: valueOfProperty(TITLE),
    version: meta?.version,
    date: /\d{4}-\d\d-\d\d/.exec(meta?.version ?? '')?.[0],
    license: valueOfProperty(LICENSE),
  });
}

function addNode({ id, lbl, type, meta = {} }: Node, builder: SnapshotBuilder): void {
  // A node without a type and a label is only the end of an edge.
  if (typeof id !== 'string' || type === 'PROPERTY' || (type === undefined && lbl === undefined)) return;
  const texts = (properties: readonly Property[] = []) =>
    properties.map(({ val }) => val).filter((val) => typeof val === 'string');
  const replacing = meta.basicPropertyValues?.filter(({ pred = '' }) => REPLACED_BY.has(pred));
  builder.add({
    id,
    label: lbl,
    synonyms: texts(meta.synonyms),
    definition: meta.definition?.val,
    obsolete: meta.deprecated === true,
    replacedBy: texts(replacing),
  });
}

function addEdge({ sub, pred, obj }: Edge, builder: SnapshotBuilder): void {
  if (typeof sub === 'string' && typeof pred === 'string' && typeof obj === 'string')
    builder.link(sub, Object.hasOwn(RELATIONS, pred) ? RELATIONS[pred]! : pred, obj);
}

const CHARACTER = { quote: 0x22, backslash: 0x5c, colon: 0x3a } as const;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/** The members of a graph that are wanted. */
type GraphMember = 'nodes' | 'edges' | 'id' | 'meta';

/** Cuts `graphs[*].nodes[*]`, `.edges[*]`, `.id` and `.meta` out of a document. */
class GraphScanner {
  readonly #found: (key: GraphMember, value: unknown) => void;
  readonly #decoder = new TextDecoder();
  /** The values that are not finished yet. */
  #rest = new Uint8Array();
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  /** Where a string that may be a key, or a value that is wanted, starts in the rest. */
  #start = -1;
  #lastString = '';
  /** The key in the document, and that in the graph. */
  #topKey = '';
  #key = '';

  constructor(found: (key: GraphMember, value: unknown) => void) {
    this.#found = found;
  }

  feed(piece: Uint8Array): void {
    const bytes = new Uint8Array(this.#rest.length + piece.length);
    bytes.set(this.#rest);
    bytes.set(piece, this.#rest.length);
    for (let at = this.#rest.length; at < bytes.length; at++) this.#step(bytes, at);
    this.#rest = this.#start < 0 ? new Uint8Array() : bytes.slice(this.#start);
    if (this.#start > 0) this.#start = 0;
  }

  end(): void {
    if (this.#depth === 0 && this.#topKey !== '') return;
    throw notOfForm('obograph');
  }

  #step(bytes: Uint8Array, at: number): void {
    const byte = bytes[at]!;
    if (this.#isString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === CHARACTER.backslash) this.#isEscaped = true;
      else if (byte === CHARACTER.quote) {
        this.#isString = false;
        if (this.#isName()) this.#endString(bytes, at);
      }
    } else if (byte === CHARACTER.quote) {
      this.#isString = true;
      if (this.#isName()) this.#start = at;
    } else if (byte === CHARACTER.colon) {
      if (this.#depth === 1) this.#topKey = this.#lastString;
      else if (this.#depth === 3) this.#key = this.#lastString;
    } else if (OPENING.has(byte)) {
      if (this.#isWanted()) this.#start = at;
      this.#depth += 1;
    } else if (CLOSING.has(byte)) {
      this.#depth -= 1;
      if (this.#isWanted()) this.#take(this.#key as GraphMember, bytes, at);
      // The string behind it is a key again.
      if (this.#depth === 3) this.#key = '';
    }
  }

  /** Whether a string at this depth is a key, or the id of a graph. */
  #isName(): boolean {
    return this.#depth === 1 || this.#depth === 3;
  }

  /** Whether an object or list that opens or closes at this depth is wanted. */
  #isWanted(): boolean {
    if (this.#topKey !== 'graphs') return false;
    return this.#depth === 4
      ? this.#key === 'nodes' || this.#key === 'edges'
      : this.#depth === 3 && this.#key === 'meta';
  }

  #endString(bytes: Uint8Array, at: number): void {
    if (this.#depth === 3 && this.#key === 'id' && this.#topKey === 'graphs') this.#take('id', bytes, at);
    else this.#lastString = this.#decoder.decode(bytes.subarray(this.#start + 1, at));
    this.#start = -1;
    if (this.#depth === 3) this.#key = '';
  }

  #take(key: GraphMember, bytes: Uint8Array, at: number): void {
    try {
      this.#found(key, JSON.parse(this.#decoder.decode(bytes.subarray(this.#start, at + 1))));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw notOfForm('obograph');
    }
    this.#start = -1;
  }
}
