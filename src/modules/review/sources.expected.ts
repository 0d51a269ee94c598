/** Texts of this module that name no source which the service reads. */
const assigning = ['assignee', 'due'].flatMap((key) => [key, `[].${key}`]);

export const texts = [
  'PUT /-/{collection}/settings review.assign[].curator',
  'PUT /-/{collection}/settings review.assign[].zones[]',
  ...assigning.map((key) => `POST /-/{collection}/review/assignments ${key}`),
  'POST /-/{collection}/review/decisions/by-filter filter.assignee',
  'POST /-/{collection}/review/decisions/by-filter filter.assignee[]',
];
