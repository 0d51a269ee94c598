/** The consequence of a change for records that were valid before. */
export type Effect =
  /** Every valid record stays valid. */
  | 'loosened'
  /** Some records may become invalid. */
  | 'tightened'
  /** Records stay valid or not as they were. */
  | 'neutral';
