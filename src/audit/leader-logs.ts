/** Audit logs of a service with several instances: the one that leads opens and writes them, the others wait. */
import type { Leadership } from '../storage/database.ts';
import type { AuditLog, OperatorLog } from './audit-log.ts';
import type { LogOpener } from './logs.ts';

/** After a failure to open a log, the next attempt is made in so many milliseconds. */
const OPEN_RETRY = 5000;

/**
 * Logs that are open while this instance leads. On the others, the position of a log is 0, so that no entry is pruned that the log may lack.
 */
export function leaderLogs(logs: LogOpener, leadership: Leadership, log: OperatorLog): LogOpener {
  return {
    check: (directory) => logs.check(directory),
    async open(config, directory, owner, source) {
      let opened: AuditLog | undefined;
      let closed = false;
      let timer: NodeJS.Timeout | undefined;
      let queue: Promise<void> = Promise.resolve();
      const follow = async () => {
        clearTimeout(timer);
        const wanted = leadership.held && !closed;
        if (wanted === (opened !== undefined)) return;
        if (!wanted) {
          const former = opened;
          opened = undefined;
          await former?.close();
          return;
        }
        try {
          opened = await logs.open(config, directory, owner, source);
        } catch (error) {
          log.warn({ err: error, path: directory }, 'could not open the audit log, will retry');
          timer = setTimeout(change, OPEN_RETRY).unref();
        }
      };
      const change = () => {
        queue = queue.then(follow).catch((error) => {
          log.warn({ err: error, path: directory }, 'could not close the audit log');
        });
      };
      const unwatch = leadership.watch(change);
      change();
      await queue;
      return {
        flush: async () => opened?.flush(),
        position: () => opened?.position() ?? 0,
        faults: () => opened?.faults() ?? [],
        async close() {
          closed = true;
          unwatch();
          change();
          await queue;
        },
      };
    },
  };
}
