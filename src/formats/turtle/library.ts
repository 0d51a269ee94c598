/** The package entry `accession/linkml/turtle`: objects of LinkML classes as Turtle, both ways. */
export { readTurtle } from './read/read-turtle.ts';
export { writeTurtle } from './write/write-turtle.ts';
