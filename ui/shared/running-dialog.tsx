/** Work on many records that runs: how far it is, and the one button that stops it. */
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Dialog } from './dialog.tsx';
import { Progress } from './notes.tsx';

export function RunningDialog(props: {
  /** What is done, with its numbers. */
  title: string;
  done: number;
  total: number;
  /** What stays if it is stopped. */
  help?: string | undefined;
  /** Asks the work to stop, which it does after the requests that are sent; the dialog says so until then. */
  onStop: () => void;
}) {
  const { title, done, total, help, onStop } = props;
  const [isStopping, setStopping] = useState(false);
  const stop = () => {
    setStopping(true);
    onStop();
  };
  return (
    <Dialog title={title} close={t(isStopping ? 'running.stopping' : 'action.stop')} onClose={stop}>
      <Progress done={done} total={total} label={title} />
      <p class="small muted" aria-live="polite">
        {isStopping ? t('running.stoppingHelp') : help}
      </p>
    </Dialog>
  );
}
