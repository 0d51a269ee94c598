/** Members that rows of the endpoint table of publishing have in common. */
export const publication = {
  tag: 'Publication',
  area: 'user',
  action: 'read',
} as const;
