/** What endpoints with a JSON body say of bodies that do not have their form. */
import type { BadBodies } from '../../../test/support/bad-bodies.ts';

export const bodies: readonly BadBodies[] = [
  {
    to: 'POST /-/lab/curated/rename',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [[], 422, 'body: expected a mapping, found a list'],
      [{}, 422, 'body.from: the key is required', 'body.to: the key is required'],
      [{ from: 'ex:a' }, 422, 'body.to: the key is required'],
      [{ from: 1, to: 'ex:b' }, 422, 'body.from: expected a string, found the number 1'],
    ],
  },
  {
    to: 'POST /-/lab/curated/merge',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [{}, 422, 'body.keep: the key is required', 'body.drop: the key is required'],
      [{ keep: 'ex:a' }, 422, 'body.drop: the key is required'],
      [{ keep: 'ex:a', drop: null }, 422, 'body.drop: expected a string, found null'],
      [{ keep: 'ex:a', drop: 'ex:b', take: [] }, 422, 'body.take: expected a mapping or null, found a list'],
      [
        { keep: 'ex:a', drop: 'ex:b', take: { '/name': 'both' } },
        422,
        'body.take./name: expected one of "keep", "drop", found "both"',
      ],
    ],
  },
  {
    to: 'PUT /-/lab/duplicates',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [{}, 422, 'body.pids: the key is required', 'body.different: the key is required'],
      [{ pids: ['a'], different: true }, 422, 'body.pids: expected at least 2 entries, found 1'],
      [{ pids: ['a', 1], different: true }, 422, 'body.pids.1: expected a string, found the number 1'],
      [{ pids: ['a', 'b'] }, 422, 'body.different: the key is required'],
      [{ pids: ['a', 'b'], different: 'yes' }, 422, 'body.different: expected true or false, found a string'],
    ],
  },
  {
    to: 'PUT /-/lab/settings',
    bad: [
      [{ identifying_slots: [] }, 422, 'body.identifying_slots: expected a mapping, found a list'],
      [
        { identifying_slots: { Person: 'name' } },
        422,
        'body.identifying_slots.Person: expected a list, found a string',
      ],
      [
        { identifying_slots: { Person: [1] } },
        422,
        'body.identifying_slots.Person.0: expected a string, found the number 1',
      ],
      [
        { identifying_slots: { Person: ['nmae'] } },
        422,
        "body.identifying_slots.Person.0: expected a slot of the class Person, found 'nmae'",
      ],
      [
        { identifying_slots: { Persn: ['name'] } },
        422,
        "body.identifying_slots.Persn: the schema has no class 'Persn'",
      ],
    ],
  },
];
