import { ofSchema, ofSchemas } from '../../core/work/task.ts';
import { judgedRow, migrated, problemsOf, switched } from './judged.ts';

/** See {@link switched}. */
export const switchedIn = ofSchemas(switched);
/** See {@link migrated}. */
export const migratedIn = ofSchemas(migrated);
/** See {@link judgedRow}. */
export const judgedRowIn = ofSchemas(judgedRow);
/** See {@link problemsOf}. */
export const problemsIn = ofSchema(problemsOf);
