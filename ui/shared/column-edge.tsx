/** The edge of a column, which the mouse drags and the arrow keys move. */
import { useRef } from 'preact/hooks';

/** Percent for each press of an arrow key. */
const STEP = 2;

export function ColumnEdge(props: {
  label: string;
  /** How it is used. */
  help: string;
  /** The part of the width that the column has, in percent. */
  share: number;
  /** Moves the edge by a part of the width; undefined puts it back. */
  onMove: (by: number | undefined, isDone: boolean) => void;
}) {
  const { label, help, share, onMove } = props;
  const last = useRef<number | undefined>(undefined);
  const isMoved = useRef(false);
  const moved = ({ clientX, currentTarget }: PointerEvent): number => {
    const table = (currentTarget as Element).closest('table');
    const by = ((clientX - (last.current ?? clientX)) / (table?.offsetWidth || 1)) * 100;
    last.current = clientX;
    isMoved.current ||= by !== 0;
    return by;
  };
  const finish = () => {
    if (last.current !== undefined && isMoved.current) onMove(0, true);
    last.current = undefined;
  };
  return (
    <span
      class="edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(share)}
      aria-valuemin={0}
      aria-valuemax={100}
      tabIndex={0}
      title={help}
      onPointerDown={(event) => {
        // No text is selected meanwhile.
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        last.current = event.clientX;
        isMoved.current = false;
      }}
      onPointerMove={(event) => last.current !== undefined && onMove(moved(event), false)}
      onPointerUp={finish}
      onPointerCancel={finish}
      onDblClick={() => onMove(undefined, true)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -STEP, ArrowRight: STEP, Enter: undefined };
        if (!(event.key in by)) return;
        event.preventDefault();
        onMove(by[event.key as keyof typeof by], true);
      }}
    />
  );
}
