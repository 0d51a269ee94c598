/**
 * The file that a collection had its schema in before a switch. If the text of a schema was sent, or an edit was undone, the
 * schema in force is a copy in the store, and an edit of the former file has no effect.
 */
import { existsSync } from 'node:fs';
import type { CollectionStores } from '../../core/collections/stores.ts';
import type { ConfiguredTerms } from '../../core/collections/terms.ts';
import { isKeptSchema } from '../../core/config/kept-schemas.ts';
import { openedAddress } from '../../core/config/record.ts';
import { isServiceError } from '../../core/errors.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { keptPlans, SCHEMA_CHANGES } from '../../core/work/kept-plans.ts';
import type { SwitchPlan } from './switch.ts';

/** Schema changes that are read, newest first. */
const MOST_CHANGES = 1000;

type Opener = (address: string, vocabularies: ConfiguredTerms) => Promise<Pick<Schema, 'digest'>>;

/**
 * Returns the former file of a collection if it was edited since: its schema was never in force.
 *
 * @param root the store directory
 * @param address that of the schema in force
 * @param open opens a file with the vocabularies that it had
 */
export async function editedIdleFile(
  {
    database,
    curated,
    name,
  }: Pick<CollectionStores, 'database' | 'name'> & { curated: Pick<CollectionStores['curated'], 'area'> },
  root: string,
  address: string,
  open: Opener,
): Promise<string | undefined> {
  if (!isKeptSchema(root, address)) return undefined;
  const plans = await keptPlans<SwitchPlan>(
    database,
    curated.area,
    SCHEMA_CHANGES,
    { collection: name },
    MOST_CHANGES,
  );
  const versions = plans.flatMap(({ to, from }) => [to, from]);
  const former = versions.find((one) => !isKeptSchema(root, openedAddress(root, one.address)));
  const file = former && openedAddress(root, former.address);
  if (file === undefined || !existsSync(file)) return undefined;
  try {
    const { digest } = await open(file, former?.vocabularies);
    return versions.some((one) => one.digest === digest) ? undefined : file;
  } catch (error) {
    // None that was in force: it was edited so that it does not open.
    if (isServiceError(error) && error.code === 'schema_invalid') return file;
    throw error;
  }
}
