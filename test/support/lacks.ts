/** What a test needs of modules that its own module does not use: they meet in the core. */
import { MODULES } from '../../src/modules.ts';

/** The reason to skip a test of what modules do together, if one of them is absent. */
export function lacks(module: string): string | false {
  return MODULES.some(({ name }) => name === module) ? false : `the module ${module} is absent`;
}
