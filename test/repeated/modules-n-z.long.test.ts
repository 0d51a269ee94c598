/** The tests of modules, second half of the alphabet. */
import { repeat } from '../support/repeated.ts';

repeat(/^src\/modules\/[n-z]/);
