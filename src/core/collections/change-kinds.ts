/** The kinds of changes in a feed, and those that webhooks choose from. They are in a file without imports for the desk. */
export const CHANGE_KINDS = ['created', 'replaced', 'deleted', 'moved'] as const;
