/** Claims: what records say, compared and merged. Functions for other modules, without endpoints or tables. See README.md. */
import type { Module } from '../../module.ts';

export const claims: Module = { name: 'claims' };
