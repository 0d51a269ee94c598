/** The schema of a rehearsal, as forms need it. */

import type { FormSchema } from '../../../../ui/form/record-form.tsx';
import type { ClassDescription } from '../../../../ui/shared/schema.ts';
import { ClientError, lab } from '../../../../ui/shared/service.ts';
import { migrate } from '../client.ts';

/** Reads each class once. */
export function rehearsedSchema(collection: string, rehearsal: string): FormSchema {
  const classes = new Map<string, Promise<ClassDescription>>();
  return {
    classOf(name) {
      const known = classes.get(name);
      if (known) return known;
      const asked = lab(collection).use(migrate).rehearsedClass(rehearsal, name);
      asked.catch(() => classes.delete(name));
      classes.set(name, asked);
      return asked;
    },
    async check(className, record, signal) {
      const problems = await lab(collection, signal).use(migrate).validate(rehearsal, className, record);
      if (problems.length === 0) return { duplicates: [] };
      throw new ClientError(problems.map(({ msg }) => msg).join('\n'), 400, problems);
    },
  };
}
