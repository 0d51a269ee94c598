/** Where stores tell operators what they do; a pino logger fits. */
export type StoreLog = {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
};

/** Tells nobody. */
export const SILENT_LOG: StoreLog = { info: () => {}, warn: () => {} };
