/** The tests of modules, first half of the alphabet. */
import { repeat } from '../support/repeated.ts';

repeat(/^src\/modules\/[a-m]/);
