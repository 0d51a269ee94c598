/** Expansions: reads that include what records refer to. See README.md. */
import type { Module } from '../../module.ts';
import { expandedReads } from './answers.ts';

export const expand: Module = { name: 'expand', reads: expandedReads };
