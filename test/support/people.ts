/** Objects of the laboratory schema, for tests. */

/** A person that is valid. */
export function person(name: string, more: object = {}) {
  return { pid: `labid:${name}`, name, family_name: name, ...more };
}

/** The same as it is stored. */
export function storedPerson(name: string, more: object = {}) {
  return { ...person(name, more), schema_type: 'schema:Person' };
}

export function organization(name: string, more: object = {}) {
  return { pid: `labid:${name}`, name, ...more };
}

/** The person as a Turtle document on several lines. */
export function turtlePerson(name: string): string {
  return `@prefix labid: <https://example.org/laboratory/id/> .
@prefix schema: <http://schema.org/> .

labid:${name} a schema:Person ;
  schema:name "${name}" ;
  schema:familyName "${name}" .
`;
}
