/**
 * The functions that the threads of the pool run: those of the core, and those of each module with a file `tasks.ts`. They are
 * loaded at the start of a thread. No two files have a function of the same name.
 */

export * from './core/work/tasks.ts';
export * from './modules/audit/tasks.ts';
export * from './modules/curate/tasks.ts';
export * from './modules/expand/tasks.ts';
export * from './modules/migrate/tasks.ts';
export * from './modules/publish/tasks.ts';
export * from './modules/review/tasks.ts';
export * from './modules/tables/tasks.ts';
export * from './modules/vocabularies/tasks.ts';
