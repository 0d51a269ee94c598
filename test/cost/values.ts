/** Values of a JSON Schema: a small one that is valid, and ones in which one part is as long as is asked for. */

export type Schema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};

/** A value with one long part, by the number of its characters. */
type Grown = { readonly name: string; make(characters: number): unknown };

/** How deep parts are looked for. */
const DEEPEST = 3;

/** Reads the schemas of a description. */
export class Values {
  readonly #description: object;

  constructor(description: object) {
    this.#description = description;
  }

  /** The schema behind references; of alternatives, the first that is not null. */
  resolved(schema: Schema): Schema {
    if (schema.$ref !== undefined) {
      const keys = schema.$ref.slice(2).split('/');
      const inside = (at: unknown, key: string) => (at as Record<string, unknown>)[decodeURIComponent(key)];
      return this.resolved(keys.reduce(inside, this.#description) as Schema);
    }
    const alternatives = schema.oneOf ?? schema.anyOf ?? schema.allOf;
    const chosen = alternatives?.find(({ type }) => type !== 'null');
    return chosen && !schema.properties ? this.resolved(chosen) : schema;
  }

  /** A small value. @param serial makes it differ from others */
  sample(given: Schema, serial = 0): unknown {
    const schema = this.resolved(given);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    switch (typeOf(schema)) {
      case 'object': {
        const names = schema.required ?? [];
        return Object.fromEntries(names.map((name) => [name, this.#member(schema, name, serial)]));
      }
      case 'array':
        return schema.minItems ? [this.sample(schema.items ?? {}, serial)] : [];
      case 'string':
        return `x${serial}`;
      case 'integer':
      case 'number':
        return Math.max(1, schema.minimum ?? 0);
      case 'boolean':
        return true;
      default:
        return null;
    }
  }

  #member(schema: Schema, name: string, serial: number): unknown {
    if (name === 'pid') return `labid:x${serial}`;
    const own = schema.properties?.[name];
    return own ? this.sample(own, serial) : `x${serial}`;
  }

  /** Values in which one part grows: a string, a list, a mapping; at each place that the schema has. */
  grown(given: Schema, depth = 0): Grown[] {
    const schema = this.resolved(given);
    const found: Grown[] = [];
    switch (typeOf(schema)) {
      case 'string':
        found.push(
          { name: 'letters', make: (length) => 'x'.repeat(length) },
          { name: 'words', make: (length) => 'ab '.repeat(length / 3) },
          { name: 'signs', make: (length) => 'a:/%_*'.repeat(length / 6) },
        );
        break;
      case 'array': {
        const items = schema.items ?? {};
        found.push({ name: '[…]', make: (length) => this.#many(items, length) });
        if (depth < DEEPEST)
          for (const one of this.grown(items, depth + 1))
            found.push({ name: `[${one.name}]`, make: (length) => [one.make(length)] });
        break;
      }
      case 'object': {
        const { properties = {}, additionalProperties } = schema;
        if (additionalProperties !== false) {
          const values = typeof additionalProperties === 'object' ? additionalProperties : {};
          found.push({
            name: '{…}',
            make: (length) => ({
              ...(this.sample(schema) as object),
              ...Object.fromEntries(this.#many(values, length).map((value, at) => [`labid:k${at}`, value])),
            }),
          });
        }
        if (depth < DEEPEST)
          for (const [name, own] of Object.entries(properties))
            for (const one of this.grown(own, depth + 1))
              found.push({
                name: `${name}.${one.name}`,
                make: (length) => ({ ...(this.sample(schema) as object), [name]: one.make(length) }),
              });
        break;
      }
    }
    return found;
  }

  #many(items: Schema, characters: number): unknown[] {
    const each = JSON.stringify(this.sample(items, 1_000_000) ?? null).length + 12;
    return Array.from({ length: Math.ceil(characters / each) }, (_, at) => this.sample(items, at));
  }
}

function typeOf({ type, properties, items }: Schema): string | undefined {
  const [first] = [type ?? []].flat().filter((one) => one !== 'null');
  return first ?? (properties ? 'object' : items ? 'array' : undefined);
}
