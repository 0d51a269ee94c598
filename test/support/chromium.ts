/** The browser of tests. */
import { existsSync } from 'node:fs';

/** The one without windows needs half of the processor time. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;
export const CHROMIUM =
  process.env.CHROMIUM ?? PROGRAMS.find((program) => existsSync(program)) ?? PROGRAMS[1];

/** Continuous integration installs a browser, so there a missing one is a failure. */
export const skip =
  existsSync(CHROMIUM) || process.env.CI === 'true' ? false : `there is no Chromium at ${CHROMIUM}`;
