/** Requests about what release 6.6.4 has, and all those for release 6.3.3, to release 6.6.4 and to Accession. */
import { compare } from './compared.ts';
import { differencesFrom } from './differences.ts';
import { PRESENT_RELEASE } from './peer.ts';
import { presentLaboratory, presentSteps } from './present-requests.ts';
import { allSteps } from './requests.ts';

await compare({
  release: PRESENT_RELEASE,
  configuration: presentLaboratory(),
  steps: [...presentSteps(), ...allSteps()],
  differences: differencesFrom(PRESENT_RELEASE),
});
