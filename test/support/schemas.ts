/** Versions of a small schema, for tests of changes. */

const HEAD = `
id: https://example.org/schema
name: example
prefixes:
  ex: https://example.org/
  linkml: https://w3id.org/linkml/
imports: [linkml:types]
default_prefix: ex
default_range: string
`;

const THING = `
classes:
  Thing:
    class_uri: ex:Thing
    attributes:
      pid: { identifier: true, range: uriorcurie, required: true }
      schema_type: { designates_type: true, range: uriorcurie }
      name: { slot_uri: http://schema.org/name }
`;

/** The version that records are stored under. */
export const BEFORE = `${HEAD}${THING}
  Person:
    is_a: Thing
    attributes:
      mail: { required: true }
      age: {}
      nick: {}
      status: { range: Status }
      friend: { range: Person }
      friends: { range: Person, multivalued: true }
  Gadget:
    is_a: Thing
    attributes: { weight: { range: integer } }
enums:
  Status: { permissible_values: { alive: { meaning: ex:alive }, dead: {} } }
`;

/** Without the class Gadget and the slot nick. */
export const GONE = `${HEAD}${THING}
  Person:
    is_a: Thing
    attributes:
      mail: { required: true }
      age: {}
      status: { range: Status }
      friend: { range: Person }
      friends: { range: Person, multivalued: true }
enums:
  Status: { permissible_values: { alive: { meaning: ex:alive }, dead: {} } }
`;

/** With other names, another range and another value. */
export const RENAMED = `${HEAD}${THING}
  Human:
    is_a: Thing
    aliases: [Person]
    attributes:
      email: { required: true, aliases: [mail] }
      age: { range: integer }
      nick: {}
      status: { range: Status }
      friend: { range: Human }
      friends: { range: Human, multivalued: true }
  Gadget:
    is_a: Thing
    attributes: { weight: { range: integer } }
enums:
  Status: { permissible_values: { living: { meaning: ex:alive }, dead: {} } }
`;
