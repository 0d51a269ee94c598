/** What endpoints with a JSON body say of bodies that do not have their form. */
import { Numeral } from '#linkml/json.ts';
import type { BadBodies } from '../../../test/support/bad-bodies.ts';

const DECISION = { label: 'ann', pid: 'labid:ada', digest: 'sha256:0', decision: 'accept' };
const ASSIGNMENT = { label: 'ann', pid: 'labid:ada', assignee: null };
const SELECTION = { filter: {}, expected: 0, decision: 'accept' };

export const bodies: readonly BadBodies[] = [
  {
    to: 'POST /-/lab/review/assignments',
    bad: [
      [null, 422, 'body: expected a mapping or a list, found null'],
      [
        {},
        422,
        'body.label: the key is required',
        'body.pid: the key is required',
        'body.assignee: the key is required',
      ],
      [[], 422, 'body: expected at least 1 entry, found 0'],
      [Array(1001).fill(ASSIGNMENT), 422, 'body: expected at most 1000 entries, found 1001'],
      [{ ...ASSIGNMENT, who: 1 }, 422, 'body.who: unknown key; expected one of: label, pid, assignee, due'],
      [{ ...ASSIGNMENT, assignee: '' }, 422, 'body.assignee: expected a non-empty string, found ""'],
      [
        { ...ASSIGNMENT, assignee: 'nadia' },
        422,
        "body.assignee: expected a curator of the collection, found 'nadia'",
      ],
      [{ ...ASSIGNMENT, due: 'soon' }, 422, "body.due: expected a date and time (ISO 8601), found 'soon'"],
    ],
  },
  {
    to: 'POST /-/lab/review/decisions',
    bad: [
      [null, 422, 'body: expected a mapping or a list, found null'],
      ['accept', 422, 'body: expected a mapping or a list, found a string'],
      [
        {},
        422,
        'body.label: the key is required',
        'body.pid: the key is required',
        'body.digest: the key is required',
        'body.decision: the key is required',
      ],
      [[], 422, 'body: expected at least 1 entry, found 0'],
      [[null], 422, 'body.0: expected a mapping, found null'],
      [
        [{ ...DECISION, why: 1 }],
        422,
        'body.0.why: unknown key; expected one of: label, pid, digest, decision, reason, until, overturn, record, take, if_curated, with_references',
      ],
      [Array(1001).fill(DECISION), 422, 'body: expected at most 1000 entries, found 1001'],
      [
        { ...DECISION, why: 1 },
        422,
        'body.why: unknown key; expected one of: label, pid, digest, decision, reason, until, overturn, record, take, if_curated, with_references',
      ],
      [
        { ...DECISION, decision: 'maybe' },
        422,
        'body.decision: expected one of "accept", "reject", "defer", found "maybe"',
      ],
      [{ ...DECISION, label: '' }, 422, 'body.label: expected a non-empty string, found ""'],
      [{ ...DECISION, pid: 1 }, 422, 'body.pid: expected a string, found the number 1'],
      [
        { ...DECISION, decision: 'reject' },
        422,
        'body.reason: missing. The submitter is shown why a submission is rejected',
      ],
      [
        { ...DECISION, decision: 'reject', reason: ' ' },
        422,
        'body.reason: missing. The submitter is shown why a submission is rejected',
      ],
      [
        { ...DECISION, reason: 'x'.repeat(4001) },
        422,
        'body.reason: expected at most 4000 characters, found 4001',
      ],
      [{ ...DECISION, until: '2100-01-01T00:00:00Z' }, 422, 'body.until: applies to defer only'],
      [
        { ...DECISION, decision: 'defer', until: 'soon' },
        422,
        "body.until: expected a date and time in the future (ISO 8601), found 'soon'",
      ],
      [
        { ...DECISION, decision: 'defer', until: '2001-01-01T00:00:00Z' },
        422,
        "body.until: expected a date and time in the future (ISO 8601), found '2001-01-01T00:00:00Z'",
      ],
      [{ ...DECISION, overturn: 'yes' }, 422, 'body.overturn: expected true, false or null, found a string'],
      [
        { ...DECISION, record: new Numeral('1.0'), if_curated: null },
        422,
        'body.record: expected a mapping or null, found the number 1',
      ],
      [
        { ...DECISION, record: [], if_curated: null },
        422,
        'body.record: expected a mapping or null, found a list',
      ],
      [
        { ...DECISION, record: {}, take: {}, if_curated: null },
        422,
        'body.take: cannot be used together with record. Send one of them',
      ],
      [
        { ...DECISION, take: {} },
        422,
        'body.if_curated: missing. With record or take, send the curated_etag of the row, or null',
      ],
      [
        { ...DECISION, take: { '/name': 'mine' }, if_curated: null },
        422,
        'body.take./name: expected one of "submitted", "curated", "base", found "mine"',
      ],
      [{ ...DECISION, if_curated: 1 }, 422, 'body.if_curated: expected a string or null, found the number 1'],
      [
        { ...DECISION, with_references: {} },
        422,
        'body.with_references: expected a list or null, found a mapping',
      ],
      [
        { ...DECISION, with_references: [{ pid: 'labid:b' }, 1] },
        422,
        'body.with_references.0.digest: the key is required',
        'body.with_references.1: expected a mapping, found the number 1',
      ],
      [
        { ...DECISION, with_references: [{ pid: 'labid:b', digest: 'd', more: 1 }] },
        422,
        'body.with_references.0.more: unknown key; expected one of: pid, digest',
      ],
      [
        { ...DECISION, decision: 'defer', take: {}, if_curated: null },
        422,
        'body.take: applies to accept only',
        'body.if_curated: applies to accept only',
      ],
    ],
  },
  {
    to: 'POST /-/lab/review/decisions/by-filter',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [[], 422, 'body: expected a mapping, found a list'],
      [{}, 422, 'body.expected: the key is required', 'body.decision: the key is required'],
      [{ ...SELECTION, expected: 'all' }, 422, 'body.expected: expected a whole number, found a string'],
      [{ ...SELECTION, expected: -1 }, 422, 'body.expected: expected at least 0, found -1'],
      [{ ...SELECTION, expected: 1.5 }, 422, 'body.expected: expected a whole number, found the number 1.5'],
      [{ ...SELECTION, filter: [] }, 422, 'body.filter: expected a mapping or null, found a list'],
      [
        { ...SELECTION, filter: { colour: 1 } },
        422,
        'body.filter.colour: unknown key; expected one of: label, pid, class, state, standing, submitter, batch, requested, assignee, valid, conflicts, matching, q',
      ],
      [
        { ...SELECTION, filter: { state: 'odd' } },
        422,
        'body.filter.state: expected one of "same", "new", "changed", "diverged", found "odd"',
      ],
      [
        { ...SELECTION, filter: { label: [1] } },
        422,
        'body.filter.label.0: expected a string, found the number 1',
      ],
      [{ ...SELECTION, filter: { label: [] } }, 422, 'body.filter.label: expected at least 1 entry, found 0'],
      [
        { ...SELECTION, filter: { batch: 1 } },
        422,
        'body.filter.batch: expected a string or null, found the number 1',
      ],
      [
        { ...SELECTION, filter: { valid: 'yes' } },
        422,
        'body.filter.valid: expected true, false or null, found a string',
      ],
      [
        { ...SELECTION, as_of: 'now' },
        422,
        'body.as_of: expected a string like 2026-05-01T12:00:00.000000+00:00, found "now"',
      ],
      [
        { ...SELECTION, as_of: '2026-05-01T12:00:00.000000Z' },
        422,
        'body.as_of: expected a string like 2026-05-01T12:00:00.000000+00:00, found "2026-05-01T12:00:00.000000Z"',
      ],
      [
        { ...SELECTION, as_of: '2026-05-01T12:00:00.000000-12:00' },
        422,
        'body.as_of: expected a string like 2026-05-01T12:00:00.000000+00:00, found "2026-05-01T12:00:00.000000-12:00"',
      ],
      [{ ...SELECTION, after: 1 }, 422, 'body.after: expected a string or null, found the number 1'],
      [{ ...SELECTION, after: 'page 2' }, 422, 'after: expected the value of next on a former page'],
      [
        { ...SELECTION, decision: 'reject' },
        422,
        'body.reason: missing. The submitter is shown why a submission is rejected',
      ],
      [
        { ...SELECTION, more: 1 },
        422,
        'body.more: unknown key; expected one of: expected, decision, filter, as_of, after, reason, until, overturn',
      ],
    ],
  },
  {
    to: 'POST /-/lab/review/decisions/undo',
    bad: [
      [null, 422, 'body: expected a list, found null'],
      [[], 422, 'body: expected at least 1 entry, found 0'],
      [[1], 422, 'body.0: expected a string, found the number 1'],
    ],
  },
  {
    to: 'POST /-/lab/review/comments',
    bad: [
      [null, 422, 'body: expected a mapping or a list, found null'],
      [[], 422, 'body: expected at least 1 entry, found 0'],
      [[{ label: 'ann', pid: 'labid:ada' }], 422, 'body.0.text: the key is required'],
    ],
  },
];
