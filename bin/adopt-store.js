// The process in which a service adopts a store of another program.
import { loadMain } from './start.js';

const { adoptStore } = await loadMain();
await adoptStore();
