/** Review: submissions to incoming zones, decisions on them, and what submitters see of both. See README.md. */

import type { Module } from '../../module.ts';
import { attachReview, gauges } from './attach.ts';
import { codes } from './codes.ts';
import { configuration } from './configuration.ts';
import { reviewEndpoints } from './endpoints.ts';
import { MEMORY, WordResults } from './queue/words.ts';
import { settings } from './settings.ts';
import { submissionEndpoints } from './submission-endpoints.ts';
import { CONCERNED } from './submissions/companions.ts';
import { tables } from './tables.ts';

export const review: Module = {
  name: 'review',
  uses: ['claims'],
  tables,
  codes,
  configuration,
  settings,
  memory: MEMORY,
  gauges,
  endpoints: [...reviewEndpoints, ...submissionEndpoints],
  concerned: CONCERNED,
  attach(core) {
    const words = new WordResults();
    return (collection) => attachReview(collection, words, core);
  },
};
