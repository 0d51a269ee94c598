/** The files of dump-things-service: stores that are adopted, areas that are kept as files, stores that are exported. See README.md. */
import type { Module } from '../../module.ts';
import { adoption } from './adopt/adopt.ts';
import { StoreFiles } from './store-files.ts';
import { tables } from './tables.ts';

export const peer: Module = {
  name: 'peer',
  tables,
  provides: { adoption, files: (options) => new StoreFiles(options) },
};
