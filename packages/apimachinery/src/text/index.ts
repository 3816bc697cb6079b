export { quote } from './quote.ts';
