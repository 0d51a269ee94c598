/** The tests beside the core. */
import { repeat } from '../support/repeated.ts';

repeat(/^src\/core\//);
