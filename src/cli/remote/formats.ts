/** The formats of imports and exports by name. */
export const EXPORT_FORMATS = ['json', 'ndjson', 'ttl', 'nq', 'csv', 'xlsx', 'yaml'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const IMPORT_FORMATS = EXPORT_FORMATS;
export type ImportFormat = ExportFormat;
