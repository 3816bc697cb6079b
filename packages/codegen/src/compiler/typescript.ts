// The only file that imports the compiler: version 7 has no such interface, so what replaces it one day is found here.
import ts from 'typescript';

export { ts };
