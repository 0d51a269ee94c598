/** The state of a service as text. */
import type { Status } from '../../client/client.ts';
import { countText } from '../print.ts';

const GIB = 1024 ** 3;

/** Describes the state of a service, with its failures. */
export function statusText(answer: object): string {
  const { version, writable, disk, last_backup, collections, projections, jobs } = answer as Status;
  const lines = [
    `release      ${version}`,
    `writable     ${writable === true ? 'yes' : `no: ${writable}`}`,
    ...(disk
      ? [
          `disk         ${(disk.free_bytes / GIB).toFixed(1)} of ${(disk.size_bytes / GIB).toFixed(1)} GiB free`,
        ]
      : []),
    `last backup  ${last_backup?.time ?? 'none'}`,
    ...collections.map(({ name, available, records = 0, zones = 0 }) =>
      available
        ? `collection   ${name}: ${countText(records, 'record')}, ${countText(zones, 'zone')}`
        : `collection   ${name}: not available`,
    ),
    ...collections.flatMap(({ name, schema, schema_changed: change }) => {
      const edited = change?.kind === 'edit' ? `, edited without a switch, ${change.time}` : '';
      return schema === undefined ? [] : [`schema       ${name}: ${schema}${edited}`];
    }),
    ...collections.flatMap(({ faults }) =>
      faults.map(({ path, message }) => `fault        ${path}: ${message}`),
    ),
    ...projections
      .filter(({ behind }) => behind > 0)
      .map(
        ({ name, collection = '', behind }) =>
          `behind       ${name} ${collection}: ${countText(behind, 'change')}`,
      ),
    ...jobs
      .filter(({ state }) => state === 'failed')
      .map(({ name, error = '' }) => `failed       ${name}: ${error}`),
  ];
  return lines.join('\n');
}
