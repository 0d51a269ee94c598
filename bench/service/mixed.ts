/** Mixed load: four reads to one write, while an import stores into the curated area without a pause. */
import autocannon from 'autocannon';
import type { Service } from '../../test/parity/services.ts';
import { type Measurement, measure } from './measure.ts';
import { importRequests, mixedRequests, type Sizes } from './workloads.ts';

export async function measureMixed(service: Service, sizes: Sizes, seconds: number): Promise<Measurement> {
  const importing = autocannon({
    url: service.address,
    connections: 1,
    duration: seconds + 1,
    requests: importRequests(),
  });
  const measurement = await measure(service.address, mixedRequests(sizes), seconds);
  await importing;
  return measurement;
}
