/** Publishing: pages of records, vocabularies, sitemaps, catalogs and OAI-PMH. See README.md. */
import type { ContactSource } from '../../core/http/endpoints/me.ts';
import type { Module } from '../../module.ts';
import { catalogEndpoints } from './catalog.ts';
import { codes } from './codes.ts';
import { oaiEndpoints } from './oai/endpoints.ts';
import { metadataOf } from './publication.ts';
import { resourceEndpoints } from './resources.ts';
import { settings } from './settings.ts';

export const publish: Module = {
  name: 'publish',
  codes,
  settings,
  endpoints: [...resourceEndpoints, ...catalogEndpoints, ...oaiEndpoints],
  attach:
    () =>
    (collection): ContactSource => ({
      contact: async () => (await metadataOf({ collection })).contact,
    }),
};
