/** Texts of this module that name no source which the service reads. */
export const texts = ['creators[].orcid', 'funders[].award', 'doi', 'dois.*'].map(
  (key) => `PUT /-/{collection}/settings cite.${key}`,
);
