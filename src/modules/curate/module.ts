/** Curation of records that are stored: see README.md. */
import type { Module } from '../../module.ts';
import { settings } from './settings.ts';

export const curate: Module = {
  name: 'curate',
  settings,
};
