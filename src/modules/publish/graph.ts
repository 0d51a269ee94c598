/** Small graphs that the service describes itself with: nodes as in JSON-LD, which are written as JSON-LD and as Turtle. */

type Value = string | { readonly '@id': string } | { readonly '@value': string; readonly '@type': string };

/** A node: terms are prefixed names, identifiers are IRIs. Values that are undefined are left out. */
export type GraphNode = {
  readonly '@id': string;
  readonly '@type': string | readonly string[];
  readonly [property: string]: Value | readonly Value[] | readonly string[] | undefined;
};

/** A graph and the namespaces of its prefixes. */
export type Graph = {
  readonly prefixes: Readonly<Record<string, string>>;
  readonly nodes: readonly GraphNode[];
};

export const iri = (id: string) => ({ '@id': id });
export const dateTime = (time: string) => ({ '@value': time, '@type': 'xsd:dateTime' });

export function graphAsJsonLd({ prefixes, nodes }: Graph): string {
  return JSON.stringify({ '@context': prefixes, '@graph': nodes });
}

export function graphAsTurtle({ prefixes, nodes }: Graph): string {
  const heads = Object.entries(prefixes).map(
    ([prefix, namespace]) => `@prefix ${prefix}: <${namespace}> .\n`,
  );
  return [...heads, ...nodes.map(nodeAsTurtle)].join('');
}

function nodeAsTurtle({ '@id': id, '@type': types, ...properties }: GraphNode): string {
  const lines = Object.entries(properties).flatMap(([property, value]) => {
    const values = [value ?? []].flat() as Value[];
    return values.length === 0 ? [] : [`${property} ${values.map(valueAsTurtle).join(', ')}`];
  });
  return `\n${iriAsTurtle(id)} a ${[types].flat().join(', ')}${lines.map((line) => ` ;\n    ${line}`).join('')} .\n`;
}

function valueAsTurtle(value: Value): string {
  if (typeof value === 'string') return literal(value);
  return '@id' in value ? iriAsTurtle(value['@id']) : `${literal(value['@value'])}^^${value['@type']}`;
}

/** The escapes of JSON are escapes of Turtle. */
const literal = (text: string) => JSON.stringify(text.toWellFormed());

/** Characters that an IRI of Turtle may not have are percent-encoded (Turtle, 6.5, IRIREF). */
function iriAsTurtle(id: string): string {
  return `<${id.replace(/[\u0000-\u0020<>"{}|^`\\]/g, encodeURIComponent)}>`;
}
