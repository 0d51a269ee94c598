/** Loaded before the service: ends the thread that writes to the database, alone, when the process gets SIGUSR2. */
import { syncBuiltinESMExports } from 'node:module';
import workers from 'node:worker_threads';

if (workers.isMainThread) {
  let writing: workers.Worker | undefined;
  workers.Worker = class extends workers.Worker {
    constructor(...[file, options]: ConstructorParameters<typeof workers.Worker>) {
      super(file, options);
      if (String(file).includes('writer-thread')) writing = this;
    }
  };
  syncBuiltinESMExports();
  process.on('SIGUSR2', () => void writing!.terminate());
}
