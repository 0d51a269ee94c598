/** Decisions on two instances with one database, and what is read of them. */
import { NAMES, type Read, type Step, ZONES } from '../../../test/support/as-one.ts';

export const reads: readonly Read[] = [
  ...NAMES.flatMap((name) => [
    { url: `/-/lab/review/item?label=ann&pid=labid:${name}`, token: 'cora' },
    { url: `/-/lab/submissions/item?pid=labid:${name}`, token: 'bea' },
  ]),
  { url: '/-/lab/review/', token: 'cora' },
  { url: '/-/lab/review/?standing=rejected,deferred&sort=-pid', token: 'cora' },
  { url: '/-/lab/review/?matching=%25v1%25', token: 'cora' },
  { url: '/-/lab/review/summary', token: 'cora' },
  { url: '/-/lab/review/decisions', token: 'cora' },
  { url: '/-/lab/submissions/', token: 'ann' },
  { url: '/-/lab/submissions/?status=rejected', token: 'bea' },
];

const decide: Step = async ({ one }, { both }) => {
  const [label, name] = [one(ZONES), one(NAMES)];
  const url = `/-/lab/review/item?label=${label}&pid=labid:${name}`;
  const item = await both({ method: 'GET', url, token: 'cora' });
  if (item.status !== 200) return 'nothing to decide';
  const { digest } = item.json<{ digest: string }>();
  const decision = one(['accept', 'accept', 'reject', 'defer']);
  const json = { label, pid: `labid:${name}`, digest, decision, reason: 'so' };
  await both({ method: 'POST', url: '/-/lab/review/decisions', token: 'cora', json });
  return `${decision} ${label} ${name}`;
};

const undo: Step = async ({ below }, { alike }) => {
  const at = below(5);
  const answer = await alike(async ({ request }) => {
    const list = await request('GET', '/-/lab/review/decisions', { token: 'cora' });
    const id = list.json<{ items: { id: string }[] }>().items[at]?.id;
    const path = `/-/lab/review/decisions/${id}/undo`;
    return id === undefined ? undefined : await request('POST', path, { token: 'cora', json: {} });
  });
  return `undo ${answer.slice(0, 3)}`;
};

export const steps: readonly Step[] = [decide, decide, undo];
