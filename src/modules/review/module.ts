/** Review: submissions to incoming zones, decisions on them, and what submitters see of both. See README.md. */

import type { Module } from '../../module.ts';
import { attachReview, gauges } from '../../review/attach.ts';
import { codes } from '../../review/codes.ts';
import { CONCERNED } from '../../review/companions.ts';
import { reviewEndpoints } from '../../review/endpoints.ts';
import { submissionEndpoints } from '../../review/submission-endpoints.ts';
import { tables } from '../../review/tables.ts';
import { WordResults } from '../../review/words.ts';

export const review: Module = {
  name: 'review',
  tables,
  codes,
  gauges,
  endpoints: [...reviewEndpoints, ...submissionEndpoints],
  concerned: CONCERNED,
  attach({ log }) {
    const words = new WordResults();
    return (collection) => attachReview(collection, words, log);
  },
};
