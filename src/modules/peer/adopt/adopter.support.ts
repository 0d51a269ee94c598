/** Takes a store in, and prints a line for each step: `adopter.support.ts <store directory> <database file>`. */

import { adoptIntoSqlite } from './adopt.ts';
import { adoptOptions } from './stores.support.ts';

const [root = '', file = ''] = process.argv.slice(2);
const progress = () => void process.stdout.write('step\n');
await adoptIntoSqlite(file, { ...adoptOptions(root), progress });
