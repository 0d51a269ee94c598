/** Downloads the empty table of a class. */
import { download } from '../base/api.ts';
import { t } from '../texts/texts.ts';
import { Icon } from './icons.tsx';

export function TemplateButtons({ collection, className }: { collection: string; className: string }) {
  const get = (format: 'csv' | 'xlsx') => () =>
    download(['-', collection, 'table', className], { format }, `${className}.${format}`);
  return (
    <p class="btns">
      <span class="muted small">{t('upload.template', { name: className })}</span>
      {(['csv', 'xlsx'] as const).map((format) => (
        <button type="button" class="btn small" key={format} onClick={get(format)}>
          <Icon name="download" size={14} />
          {format.toUpperCase()}
        </button>
      ))}
    </p>
  );
}
