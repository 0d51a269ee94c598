/** The attributes of a collection that its main fields and its policies are not about: each as fields that are folded until they are needed. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Json, JsonObject } from '../shared/json.ts';
import { POLICY_KEYS } from '../shared/policies.ts';
import { service } from '../shared/service.ts';
import { FIELDS } from './collection-fields.tsx';
import { labelOf, type Part, type Path, SchemaFields } from './schema-fields.tsx';

/** The attributes that a collection may have. */
export type Attributes = Readonly<Record<string, Part>>;

/** What the service says of the attributes of collections. */
export async function readAttributes(signal: AbortSignal): Promise<Attributes> {
  const response = await service({ signal }).send('GET', '/openapi.json');
  const { components } = (await response.json()) as {
    components: { schemas: { Collection: { properties: Attributes } } };
  };
  return components.schemas.Collection.properties;
}

const ELSEWHERE = new Set<string>([...FIELDS, ...POLICY_KEYS]);

export function AttributeFields({
  attributes,
  collection,
  problemOf,
  hasProblem,
  onChange,
}: {
  attributes: Attributes;
  collection: JsonObject;
  problemOf: (path: Path) => string | undefined;
  /** Whether something is wrong with an attribute or a part of it. */
  hasProblem: (key: string) => boolean;
  /** Undefined for an attribute that is removed. */
  onChange: (key: string, value: Json | undefined) => void;
}) {
  return Object.entries(attributes).map(
    ([key, part]) =>
      !ELSEWHERE.has(key) && (
        <Fold key={key} title={labelOf(key)} isNeeded={hasProblem(key)}>
          <SchemaFields
            {...{ part, problemOf }}
            id={`collection-${key}`}
            path={[key]}
            value={collection[key]}
            onChange={(value) => onChange(key, value)}
          />
        </Fold>
      ),
  );
}

/** A part that opens if it is needed, and stays open: closing it would hide the field that has the focus. */
function Fold({
  title,
  isNeeded,
  children,
}: {
  title: string;
  isNeeded: boolean;
  children: ComponentChildren;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    if (isNeeded && details.current) details.current.open = true;
  }, [isNeeded]);
  return (
    <details class="field spaced" ref={details}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
