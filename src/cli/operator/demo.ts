/** The laboratory of `accession init --demo` and of `npm start`, which the tutorials use. */
import { readFileSync } from 'node:fs';
import { readYaml } from '#linkml/yaml/read.ts';
import { curated, type ExampleRecord, edits, incoming } from '../../../examples/laboratory/records.ts';
import { packageFile } from '../version.ts';

/** The name of its collection. */
export const DEMO = 'laboratory';

/** The secrets of its configuration. They are public: the laboratory is for this machine only. */
const TOKENS = {
  reader: 'lab-reader',
  submitter: 'lab-submitter',
  curator: 'lab-curator',
  admin: 'lab-admin',
};

type Configuration = { readonly collections: { readonly laboratory: object } };

/**
 * Its first configuration.
 *
 * @param schema its schema, where the store has it
 * @param keys the keys of modules in the configuration of its collection
 */
export function demoStart(schema: string, keys: object) {
  const text = readFileSync(packageFile('examples/laboratory/config.yaml'), 'utf8');
  const configuration = readYaml(text) as Configuration;
  const laboratory = { ...configuration.collections.laboratory, schema, ...keys };
  const first = (area: string, secret: string, items: readonly ExampleRecord[]) =>
    items.map((item) => ({ ...item, area: `/laboratory${area}`, secret }));
  return {
    configuration: { ...configuration, collections: { laboratory } },
    tokens: TOKENS,
    records: [
      ...first('/curated', TOKENS.curator, curated),
      ...Object.entries(incoming).flatMap(([label, items]) => first('', `lab-${label}`, items)),
      ...first('/curated', TOKENS.curator, edits),
    ],
  };
}

/** Its tokens, and first requests to the service at a URL. */
export function demoText(url: string): string {
  const laboratory = `${url}/laboratory`;
  const json = "-H 'Content-Type: application/json'";
  const person = '{"pid": "labid:person-grace-hopper", "name": "Grace Hopper", "family_name": "Hopper"}';
  const tokens = Object.entries(TOKENS).map(([name, token]) => `  ${name.padEnd(10)} ${token}\n`);
  return `Tokens, the same in each laboratory:
${tokens.join('')}
Read the first three persons:
  curl -H 'X-Service-Token: ${TOKENS.reader}' '${laboratory}/records/p/Person?size=3'

Submit one of your own:
  curl -H 'X-Service-Token: ${TOKENS.submitter}' ${json} -d '${person}' '${laboratory}/record/Person?add_submission_tag=true'

See what was submitted, as a curator:
  curl -H 'X-Service-Token: ${TOKENS.curator}' '${laboratory}/incoming/submitter/records/'
`;
}
