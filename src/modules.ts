/** The modules of the service: the one list. */
import { ENDPOINTS } from './http/endpoints.ts';
import type { Module } from './module.ts';
import { webhooks } from './modules/webhooks/module.ts';

export const MODULES: readonly Module[] = [webhooks];

/** The endpoints of the core and of all modules. */
export const ALL_ENDPOINTS = [...ENDPOINTS, ...MODULES.flatMap(({ endpoints = [] }) => endpoints)];
