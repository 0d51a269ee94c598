/** Items that are counted as unread, here and in the desk, which shows no more at once. */
export const MOST_UNREAD = 50;
