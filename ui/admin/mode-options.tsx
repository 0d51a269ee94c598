/** The modes that can be granted, as options of a field. */
import { MODES } from './elements.ts';
import { modeWords } from './texts.ts';

export function ModeOptions() {
  return (
    <>
      {MODES.filter((mode) => mode !== 'NOTHING').map((mode) => (
        <option key={mode} value={mode}>
          {modeWords(mode)} ({mode})
        </option>
      ))}
    </>
  );
}
