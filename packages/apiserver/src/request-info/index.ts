export { isTrue, parseRequestInfo, type RequestInfo } from './request-info.ts';
