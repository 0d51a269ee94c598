/** Where stores log; a pino logger fits. */
export type StoreLog = {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
};

/** Discards everything. */
export const SILENT_LOG: StoreLog = { info: () => {}, warn: () => {} };
