/** The endpoints of a service with all modules. */
import { endpointsWith, MODULES } from '../../src/modules.ts';

export const ENDPOINTS = endpointsWith(MODULES);
