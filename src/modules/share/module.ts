/** Shared links: everybody who has one reads the curated records of a collection until a day. See README.md. */

import type { Module } from '../../module.ts';
import { codes } from './codes.ts';
import { sharedLinkEndpoints } from './endpoints.ts';

export const share: Module = { name: 'share', codes, endpoints: sharedLinkEndpoints };
