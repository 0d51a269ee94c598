/** What runs of commands in the unpacked package have in common. */

/** The arguments of a command, and the status that it ends with. */
export type PackageRun = readonly [args: string[], status: number];

export const SCHEMA = 'examples/laboratory/schema.yaml';
/** No service listens there. */
export const NOWHERE = 'http://127.0.0.1:9';
