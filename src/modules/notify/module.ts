/** An inbox for each person: what has happened to their submissions, and to what they curate. See README.md. */
import type { Module } from '../../module.ts';
import { notifyEndpoints } from './endpoints.ts';
import { tables } from './tables.ts';

export const notify: Module = { name: 'notify', uses: ['review'], tables, endpoints: notifyEndpoints };
