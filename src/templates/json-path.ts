export { jsonPath, type JsonPath } from '../lib/json-path.ts';
