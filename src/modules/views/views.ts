/** Saved views: queries of Browse in the desk, by class and name. They are a key of the settings of the collection. */
import type { Collection } from '../../core/collections/collection.ts';
import { changeSetting, readSettings } from '../../core/collections/settings.ts';
import { type Entries, entryOf } from '../../core/config/config.ts';
import { ServiceError } from '../../core/errors.ts';
import { refusal } from '../../core/json-schema.ts';
import { objectOf, type Shape, textSchema } from '../../core/shapes.ts';
import type {} from './codes.ts';

/** The stored form: by class and name. */
type ViewsByClass = Entries<Entries<string>>;

declare module '../../core/collections/settings.ts' {
  interface ModuleSettings {
    readonly views: ViewsByClass;
  }
}

export const viewContentSchema = objectOf({
  query: {
    ...textSchema,
    maxLength: 2000,
    description: 'The query of Browse in the desk, as `is.email=a%40b.org&sort=-name`.',
  },
});

export const viewSchema = objectOf({ class: textSchema, name: textSchema, ...viewContentSchema.properties });
type SavedView = Shape<typeof viewSchema>;

const MOST_VIEWS = 50;
const LONGEST_NAME = 100;

/** The views of all classes, or of one. */
export async function listViews(collection: Collection, className?: string): Promise<SavedView[]> {
  const { views = {} } = await readSettings(collection);
  return Object.entries(views)
    .filter(([name]) => className === undefined || name === className)
    .flatMap(([name, queries]) =>
      Object.entries(queries).map(([view, query]) => ({ class: name, name: view, query })),
    );
}

/** Saves a view, or replaces it. @throws ServiceError `class_unknown`, `payload_invalid` */
export async function putView(collection: Collection, view: SavedView): Promise<void> {
  collection.requireClassOfSchema(view.class);
  const refuse = (msg: string) =>
    refusal('payload_invalid', [{ type: 'value_error', loc: ['path', 'view'], msg }]);
  if (view.name.length > LONGEST_NAME)
    throw refuse(`expected at most ${LONGEST_NAME} characters, found ${view.name.length}`);
  await changeSetting(collection, 'views', (stored = {}) => {
    const next = { ...entryOf(stored, view.class), [view.name]: view.query };
    if (Object.keys(next).length > MOST_VIEWS)
      throw refuse(`expected the name of one of the ${MOST_VIEWS} views that a class may have`);
    return { ...stored, [view.class]: next };
  });
}

/** @throws ServiceError `view_unknown` */
export async function deleteView(collection: Collection, className: string, name: string): Promise<void> {
  await changeSetting(collection, 'views', (stored = {}) => {
    const ofClass = entryOf(stored, className) ?? {};
    if (entryOf(ofClass, name) === undefined)
      throw new ServiceError(
        'view_unknown',
        `The class '${className}' of the collection '${collection.name}' has no view '${name}'.`,
      );
    const { [name]: _, ...others } = ofClass;
    const { [className]: __, ...classes } = stored;
    return Object.keys(others).length > 0 ? { ...classes, [className]: others } : classes;
  });
}
