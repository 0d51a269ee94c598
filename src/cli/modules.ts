/** The modules with commands: the one list of the command line. It loads nothing of the service. */

import { audit } from '../modules/audit/commands.ts';
import { curate } from '../modules/curate/commands.ts';
import { migrate } from '../modules/migrate/commands.ts';
import { notify } from '../modules/notify/commands.ts';
import { peer } from '../modules/peer/commands.ts';
import { publish } from '../modules/publish/commands.ts';
import { releases } from '../modules/releases/commands.ts';
import { review } from '../modules/review/commands.ts';
import { signIn } from '../modules/sign-in/commands.ts';
import { tables } from '../modules/tables/commands.ts';
import { vocabularies } from '../modules/vocabularies/commands.ts';
import type { CommandModule } from './module.ts';

export const MODULES: readonly CommandModule[] = [
  audit,
  curate,
  migrate,
  notify,
  peer,
  publish,
  releases,
  review,
  signIn,
  tables,
  vocabularies,
];
