/** Tables: spreadsheets as records. See README.md. */
import type { Module } from '../../module.ts';
import { tableEndpoints } from './endpoints.ts';

export const tables: Module = { name: 'tables', endpoints: tableEndpoints };
