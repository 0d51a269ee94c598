/** The tests of the whole service. */
import { repeat } from '../support/repeated.ts';

repeat(/^(?!src\/(core|modules)\/)/);
