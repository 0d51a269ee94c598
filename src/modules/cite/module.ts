/** Citations of records and releases, and pages of releases for people. See README.md. */
import type { Module } from '../../module.ts';
import type { CitationSource } from '../publish/citation-links.ts';
import { citeEndpoints } from './endpoints.ts';
import { citationLinks } from './formats.ts';
import { settings } from './settings.ts';

export const cite: Module = {
  name: 'cite',
  uses: ['publish', 'releases'],
  settings,
  endpoints: citeEndpoints,
  attach: () => (): CitationSource => ({ citations: (pid) => citationLinks({ pid }) }),
};
