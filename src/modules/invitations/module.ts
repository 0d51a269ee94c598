/** Invitations: links that a person exchanges for a token of a collection, once. See README.md. */

import type { Module } from '../../module.ts';
import { codes } from './codes.ts';
import { invitationEndpoints } from './endpoints.ts';
import { tables } from './tables.ts';

export const invitations: Module = { name: 'invitations', tables, codes, endpoints: invitationEndpoints };
