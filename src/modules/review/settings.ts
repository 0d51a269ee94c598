/** The setting `review` of a collection, see `settings-schema.ts`. */
import type { SettingKeys } from '../../core/collections/settings.ts';
import type { Problem } from '../../core/errors.ts';
import { type ReviewSettings, reviewSchema } from './settings-schema.ts';

declare module '../../core/collections/settings.ts' {
  interface ModuleSettings {
    review: ReviewSettings;
  }
}

export const settings: SettingKeys = {
  review: {
    schema: reviewSchema,
    problems: (schema, value) =>
      ((value as ReviewSettings).assign ?? []).flatMap(({ classes = [] }, rule) =>
        classes.flatMap((one, at): Problem[] =>
          schema.classes.has(one)
            ? []
            : [
                {
                  type: 'value_error',
                  loc: ['body', 'review', 'assign', rule, 'classes', at],
                  msg: `expected a class of the schema, found '${one}'`,
                },
              ],
        ),
      ),
  },
};
