/** Exports of some fields end when what they rest on is taken back. */
import { testTakenBack } from '../../../test/support/streams.ts';

testTakenBack('/-/c/export?fields=name', 'reader');
