/**
 * A process that decides on submissions and is killed at a boundary of its transactions: before or after the n-th one.
 * Every line that it prints after the first is a decision, or an undo, that was acknowledged.
 */
import { openWorld, REVIEWER } from './world.ts';

const [root = '', killAt = '0', url] = process.argv.slice(2);
let boundary = 0;
let isArmed = false;

function passBoundary(): void {
  if (isArmed && boundary++ === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}

const world = await openWorld({
  root,
  ...(url !== undefined && { url }),
  async around(transact) {
    passBoundary();
    const result = await transact();
    passBoundary();
    return result;
  },
});
const { review } = world;
const decide = async (pid: string, more: object) => {
  const { digest } = await review.item('ann', pid);
  const { id } = await review.decide({ label: 'ann', pid, digest, ...more }, REVIEWER);
  console.log(`${id} ${pid}`);
  return id;
};

await world.curate({ pid: 'ex:b', name: 'former' });
for (const name of ['a', 'b', 'c', 'd', 'e']) await world.submit('ann', { pid: `ex:${name}`, name });
isArmed = true;
console.log('begins');
const take = { '': 'submitted' };
const { curated_etag: ifCurated, references } = { ...(await review.item('ann', 'ex:b')) };
await decide('ex:a', { decision: 'accept' });
const second = await decide('ex:b', { decision: 'accept', take, if_curated: ifCurated });
await decide('ex:c', { decision: 'reject', reason: `no ${references.length}` });
const { digest } = await review.item('ann', 'ex:e');
const group = await decide('ex:d', { decision: 'accept', with_references: [{ pid: 'ex:e', digest }] });
for (const id of [second, group]) {
  await review.undo(id, REVIEWER);
  console.log(`${id} undone`);
}
await world.close();
