/** The endpoints of schema changes. */

import { describeClass } from '#linkml/generate/form.ts';
import { canonicalJson, type JsonObject } from '#linkml/json.ts';
import { ServiceError } from '../../core/errors.ts';
import { type Endpoint, inPath, type Need, row } from '../../core/http/endpoint.ts';
import { classSchema } from '../../core/http/endpoints/classes.ts';
import { jsonAnswer } from '../../core/http/endpoints/schemas.ts';
import {
  administratorOf,
  type Enter,
  enterAsSteward,
  enterForAdministration,
  enterThen,
  whileEntered,
} from '../../core/http/enter.ts';
import { collectionUrl } from '../../core/http/origin.ts';
import { integer, textParameter } from '../../core/http/query.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { inChunks, sendParts } from '../../core/http/stream-reply.ts';
import { resolvePid } from '../../core/records/record.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { SCHEMA_TYPE } from '../../core/schema-type.ts';
import { listOf, objectOf, textOrNull, textSchema } from '../../core/shapes.ts';
import { runIfLong } from '../../core/work/pool.ts';
import type {} from './codes.ts';
import { ASPECTS } from './compare-slots.ts';
import { dryRunReport, type JudgedIn, judgeAll } from './dry-runs.ts';
import { STEP_KINDS } from './migrate-record.ts';
import { migratePart } from './part.ts';
import { problemsIn } from './tasks.ts';

/** The records of a dry run as NDJSON. */
async function* lines(records: AsyncIterable<JudgedIn>, outcome: string | undefined) {
  for await (const one of records) if (outcome === undefined || one.outcome === outcome) yield one.json;
}

const rehearsalBy = <N extends Need>(enter: Enter<ReturnType<typeof enterAsSteward>, N>) =>
  enterThen(enter, async (entered, call) => {
    const { collection, by } = entered;
    const dryRun = await collection.part(migratePart).changes.find(inPath(call, 'id'), by.committer);
    return { ...entered, dryRun };
  });
const enterRehearsal = rehearsalBy(enterAsSteward);

/** The class of the rehearsed schema that a path names. @throws ServiceError `class_unknown` */
function classIn(to: Schema, name: string): string {
  if (to.classes.has(name)) return name;
  throw new ServiceError('class_unknown', `The rehearsed schema has no class '${name}'.`);
}

const version = objectOf({ address: textOrNull, digest: textSchema }, { vocabularies: { type: 'object' } });
const numbers = { type: 'object', additionalProperties: { type: 'integer' } } as const;

const classedRecord = objectOf({ class: textSchema, record: { type: 'object' } });

export const rehearsalSchema = objectOf({
  id: textSchema,
  state: { enum: ['running', 'done', 'failed'] },
  from: version,
  to: version,
  changes: {
    description: 'What has changed between the two schemas.',
    ...listOf(
      objectOf(
        {
          element: { enum: ['class', 'slot', 'enum', 'value', 'prefix', 'vocabulary'] },
          kind: { enum: ['added', 'removed', 'renamed', 'changed'] },
          effect: { enum: ['loosened', 'tightened', 'neutral'] },
          name: textSchema,
          message: textSchema,
        },
        {
          of: { ...textSchema, description: 'The class of a slot, the enum of a value.' },
          to: { ...textSchema, description: 'The new name.' },
          aspect: { enum: ASPECTS, description: 'Of an element that has changed: in what.' },
          before: { ...textSchema, description: 'The former value of the aspect.' },
          after: { ...textSchema, description: 'The new value of the aspect.' },
        },
      ),
    ),
  },
  summary: objectOf({
    total: { type: 'integer' },
    by_outcome: numbers,
    by_area: { type: 'object' },
    by_class: { type: 'object' },
    by_cause: numbers,
  }),
  items: {
    description: 'The first 200 records that are not valid as they are, or fewer if they are long.',
    ...listOf(
      objectOf(
        { pid: textSchema, class: textSchema, in: textSchema, outcome: textSchema },
        {
          title: textOrNull,
          problems: listOf({ $ref: '#/components/schemas/Problem' }),
          steps: listOf(
            objectOf(
              { path: textSchema, kind: { enum: STEP_KINDS }, message: textSchema },
              { before: textSchema, after: textSchema },
            ),
          ),
          mended: classedRecord,
          draft: { ...classedRecord, description: 'After the steps, which do not make it valid.' },
        },
      ),
    ),
  },
});

export const switchSchema = objectOf({
  id: textSchema,
  collection: textSchema,
  from: version,
  to: version,
  time: { type: 'string', format: 'date-time' },
  by: { ...textOrNull, description: 'Null for an edit.' },
  kind: {
    enum: ['switch', 'undo', 'edit'],
    description:
      'An edit is a change of the file, or of the configuration, that took effect without a switch.',
  },
  records: { type: 'integer', description: 'The number of patched records.' },
  undoes: textOrNull,
  state: { enum: ['pending', 'done', 'undone'] },
});

export const problemsSchema = objectOf({ problems: listOf({ $ref: '#/components/schemas/Problem' }) });

const triedSchema = {
  type: 'object',
  properties: {
    schema: { ...textSchema, description: 'A YAML document.' },
    address: textSchema,
    vocabularies: {
      type: 'object',
      description:
        'By name: `{}` takes the source again, `{source, format}` another one, `null` removes the vocabulary.',
      additionalProperties: {
        type: ['object', 'null'],
        properties: { source: textSchema, format: textSchema },
        additionalProperties: false,
      },
    },
  },
  oneOf: [{ required: ['schema'] }, { required: ['address'] }, { required: ['vocabularies'] }],
} as const;
const choiceSchema = {
  type: ['object', 'null'],
  properties: {
    patches: { type: ['boolean', 'array'], items: textSchema, default: true },
    corrections: {
      type: 'object',
      description:
        'Pid → slot → value, for records that do not fit after the steps; null removes a value, ' +
        `\`${SCHEMA_TYPE}\` names another class. ` +
        'With the area in front of the pid, ' +
        '`incoming/ann ex:a`, they are for one version of a record alone.',
      additionalProperties: { type: 'object' },
    },
    if_valid: { type: 'boolean', default: false },
  },
} as const;

const tag = 'Stewardship';
const changing = {
  tag,
  refusals: [406, 409, 412],
} as const;

export const migrateEndpoints: readonly Endpoint[] = [
  row('POST', '/-/{collection}/rehearse', 'rehearse', {
    tag,
    changesNothing: true,
    writes: true,
    summary: 'What another schema, or newer vocabularies, would mean for the records; changes nothing',
    description: 'An `address`, or another source of a vocabulary, requires an admin token.',
    answers: {
      200: jsonAnswer('The rehearsal.', rehearsalSchema),
      202: jsonAnswer('The rehearsal runs; poll the `Location`.', rehearsalSchema),
    },
    ...replyingTo(
      enterAsSteward,
      {},
      { schema: triedSchema, example: { address: 'https://example.org/schema.yaml' }, limit: 1024 * 1024 },
      async ({ collection, by }, given, _, call) => {
        const mayRead = administratorOf(call) !== undefined;
        const dryRun = await collection.part(migratePart).changes.tryOut(given, by.committer, mayRead);
        const location = `${collectionUrl(call.service.rootPath, collection.name)}/rehearsals/${dryRun.id}`;
        if (dryRun.state === 'running') call.reply.code(202).header('location', location);
        return dryRunReport(dryRun);
      },
    ),
  }),
  row('GET', '/-/{collection}/rehearsals/{id}', 'rehearsal', {
    tag,
    summary: 'Read a rehearsal',
    answers: { 200: jsonAnswer('The rehearsal.', rehearsalSchema) },
    ...replying(enterRehearsal, {}, ({ dryRun }) => dryRunReport(dryRun)),
  }),
  row('GET', '/-/{collection}/rehearsals/{id}/records', 'rehearsal.records', {
    tag,
    summary: 'Every record of a rehearsal with its outcome, as one stream',
    answers: {
      200: {
        description: 'NDJSON, one record a line.',
        content: { 'application/x-ndjson': { schema: textSchema } },
      },
    },
    ...replying(
      enterRehearsal,
      { outcome: textParameter('Only records with this outcome.') },
      ({ collection, dryRun }, { outcome }, call) => {
        // Each is judged by what it is now.
        const records = judgeAll({ ...dryRun, stores: collection }, dryRun.comparison);
        const stillAllowed = whileEntered(call, enterAsSteward, { collection });
        return sendParts(call.reply, 'application/x-ndjson', inChunks(lines(records, outcome)), stillAllowed);
      },
    ),
  }),
  row('GET', '/-/{collection}/rehearsals/{id}/classes/{name}', 'rehearsal.class', {
    tag,
    summary: 'Read one class of the rehearsed schema, with its slots and its JSON Schema',
    answers: { 200: jsonAnswer('The class.', classSchema) },
    ...replying(enterRehearsal, {}, ({ dryRun: { to } }, _, call) =>
      describeClass(to, classIn(to, inPath(call, 'name'))),
    ),
  }),
  row('POST', '/-/{collection}/rehearsals/{id}/validate/{name}', 'rehearsal.validate', {
    tag,
    changesNothing: true,
    summary: 'List what the rehearsed schema refuses of an object of a class; stores nothing',
    answers: { 200: jsonAnswer('The problems, or none.', problemsSchema) },
    ...replyingTo(
      enterRehearsal,
      {},
      { schema: { type: 'object' }, example: { pid: 'ex:ada' }, limit: 1024 * 1024 },
      async ({ collection, dryRun: { to } }, object, _, call) => {
        const className = classIn(to, inPath(call, 'name'));
        const json = canonicalJson(object as JsonObject);
        return {
          problems: await runIfLong(
            collection.pool,
            problemsIn,
            { schema: to, className, json },
            json.length,
          ),
        };
      },
    ),
  }),
  row('POST', '/-/{collection}/rehearsals/{id}/switch', 'switch', {
    ...changing,
    summary: 'Put the rehearsed schema, or vocabularies, in force and patch records, in one step',
    answers: { 200: jsonAnswer('The change.', switchSchema) },
    ...replyingTo(
      rehearsalBy(enterForAdministration),
      {},
      { schema: choiceSchema, example: { patches: true, if_valid: true }, limit: 1024 * 1024 },
      ({ collection, by, dryRun }, given, _, { service }) => {
        const { patches = true, if_valid: ifValid = false, corrections = {} } = given ?? {};
        const chosen = typeof patches === 'boolean' ? patches : new Set(patches);
        const corrected = Object.entries(corrections as Record<string, JsonObject>).map(([key, values]) => {
          // A pid has no blank.
          const pid = key.slice(key.lastIndexOf(' ') + 1);
          const area = key.slice(0, key.length - pid.length);
          return [`${area}${resolvePid(collection.schema, pid)}`, canonicalJson(values)] as const;
        });
        const choice = { chosen, ifValid, corrections: new Map(corrected) };
        return collection.part(migratePart).changes.switchTo(service.administration, dryRun, choice, by);
      },
    ),
  }),
  row('GET', '/-/{collection}/switches', 'switches', {
    tag,
    summary: 'List the schema changes, newest first',
    answers: { 200: jsonAnswer('The changes.', listOf(switchSchema)) },
    ...replying(
      enterAsSteward,
      { limit: integer('The number of changes.', 20, 1, 100) },
      ({ collection }, { limit }) => collection.part(migratePart).changes.list(limit),
    ),
  }),
  row('POST', '/-/{collection}/switches/{id}/undo', 'switch.undo', {
    ...changing,
    summary: 'Take a schema change back: the former schema, and the records as they were',
    answers: { 200: jsonAnswer('The change that undoes it.', switchSchema) },
    ...replying(enterForAdministration, {}, ({ collection, by }, _, call) =>
      collection.part(migratePart).changes.undo(call.service.administration, inPath(call, 'id'), by),
    ),
  }),
];
