/** The modules of the service: the one list. */
import type { Endpoint } from './http/endpoint.ts';
import { ENDPOINTS } from './http/endpoints.ts';
import type { Module } from './module.ts';
import { invitations } from './modules/invitations/module.ts';
import { releases } from './modules/releases/module.ts';
import { webhooks } from './modules/webhooks/module.ts';

export const MODULES: readonly Module[] = [invitations, releases, webhooks];

/** The endpoints of the core and of modules. */
export function endpointsWith(modules: readonly Module[]): readonly Endpoint[] {
  return [...ENDPOINTS, ...modules.flatMap(({ endpoints = [] }) => endpoints)];
}

export const ALL_ENDPOINTS = endpointsWith(MODULES);
