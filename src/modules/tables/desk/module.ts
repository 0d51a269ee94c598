import type { DeskModule } from '../../../../ui/module.ts';
import { textsOf } from '../../../../ui/texts/texts.ts';

/** The texts outside of the import, whose texts are loaded with it. */
const text = textsOf(
  {
    exportHelp: 'The table has the columns that are shown, and can be uploaded again.',
    upload: 'Upload a table',
  },
  {
    exportHelp: 'Die Tabelle hat die gezeigten Spalten und kann wieder hochgeladen werden.',
    upload: 'Hochladen',
  },
);

export const tables: DeskModule = {
  name: 'tables',
  views: [
    {
      name: 'upload',
      below: 'collection',
      needs: ['write_zone'],
      entry: 'submissions',
      link: { places: ['browse', 'submissions'], icon: 'table', title: () => text('upload') },
      view: () => import('./import.tsx').then(({ Import }) => Import),
    },
  ],
  exportFormats: [
    {
      name: 'csv',
      title: 'CSV',
      type: 'text/csv',
      help: () => text('exportHelp'),
      write: () => import('./export.ts').then(({ writeCsv }) => writeCsv),
    },
    {
      name: 'xlsx',
      title: 'XLSX',
      type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      help: () => text('exportHelp'),
      write: () => import('./export.ts').then(({ writeWorkbook }) => writeWorkbook),
    },
  ],
};
