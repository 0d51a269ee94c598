/** The words that operations are described in: references, responses, request bodies. */

export type Json = { readonly [key: string]: unknown };

/** Path → method (or `parameters`, which all methods of a path share) → what it is. */
export type Paths = Record<string, Readonly<Record<string, Json | readonly Json[]>>>;

/** The body of an answer that has nothing to say. */
export const NULL: Json = { type: 'null' };

/** One of the schemas among the components. */
export function ref(schema: string): Json {
  return { $ref: `#/components/schemas/${schema}` };
}

/** A response with a JSON body. */
export function json(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } };
}

/** The same as JSON or, with `format=ttl`, as one Turtle document. */
export function jsonOrTurtle(description: string, schema: Json): Json {
  return {
    description,
    content: { 'application/json': { schema }, 'text/turtle': { schema: { type: 'string' } } },
  };
}

/** A JSON request body. */
export function body(schema: Json, example: Json): Json {
  return { required: true, content: { 'application/json': { schema, example } } };
}

/** References to the responses of some statuses; 400 is among them always, for two tokens that differ. */
export function problems(...statuses: number[]): Json {
  return Object.fromEntries(
    [...new Set([400, ...statuses])].map((status) => [
      status,
      { $ref: `#/components/responses/status${status}` },
    ]),
  );
}

/** The path parameter that names a class. */
export function classParameter(classes: readonly string[], description: string): Json {
  return {
    name: 'class',
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', enum: classes },
  };
}
