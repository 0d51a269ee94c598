/** Downloads the empty table of a class. */

import { Icon } from '../../../../ui/shared/icons.tsx';
import { lab, saveAs } from '../../../../ui/shared/service.ts';
import { tables } from '../client.ts';
import { ti } from './texts.ts';

export function TemplateButtons({ collection, className }: { collection: string; className: string }) {
  const get = (format: 'csv' | 'xlsx') => async () =>
    saveAs(await lab(collection).use(tables).template(className, format), `${className}.${format}`);
  return (
    <p class="btns">
      <span class="muted small">{ti('template', { name: className })}</span>
      {(['csv', 'xlsx'] as const).map((format) => (
        <button type="button" class="btn small" key={format} onClick={get(format)}>
          <Icon name="download" size={14} />
          {format.toUpperCase()}
        </button>
      ))}
    </p>
  );
}
