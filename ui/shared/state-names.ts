/** The states of submissions that the desk shows. */
export type StateName =
  | 'new'
  | 'changed'
  | 'diverged'
  | 'same'
  | 'waiting'
  | 'deferred'
  | 'rejected'
  | 'accepted'
  | 'withdrawn'
  | 'removed';
