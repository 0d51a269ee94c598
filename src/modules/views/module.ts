/** Saved views of the records of a class, for all who read it. See README.md. */

import type { Module } from '../../module.ts';
import { codes } from './codes.ts';
import { viewEndpoints } from './endpoints.ts';

export const views: Module = {
  name: 'views',
  codes,
  settings: { views: { schema: { type: 'object' }, separate: true } },
  endpoints: viewEndpoints,
};
