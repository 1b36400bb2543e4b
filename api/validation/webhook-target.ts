/** Where a webhook is: a URL of its own, or a service of the cluster (apiserver util/webhook/validation.go). */
import { invalidValue, required } from '../field-error.ts';
import type { Errors } from './rule.ts';

const FORM = 'desired format: https://host[/path]';

export function webhookUrl(out: Errors, path: string, value: string): void {
	const add = (why: string): unknown => out.push(invalidValue(path, value, why));
	const url = URL.parse(value);
	const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):/i.exec(value) ?? [];
	if (scheme !== 'https') add(`'https' is the only allowed URL scheme; ${FORM}`);
	if (url === null || url.host === '') add(`host must be specified; ${FORM}`);
	if (url !== null && (url.username !== '' || url.password !== '')) add('user information is not permitted in the URL');
	if (url !== null && url.hash !== '') add('fragments are not permitted in the URL');
	if (url !== null && url.search !== '') add('query parameters are not permitted in the URL');
}

interface Service {
	readonly name?: string | undefined;
	readonly namespace?: string | undefined;
	readonly path?: string | undefined;
	readonly port?: number | undefined;
}

export function webhookService(out: Errors, at: string, { name = '', namespace = '', path, port = 443 }: Service): void {
	if (name === '') out.push(required(`${at}.name`, 'service name is required'));
	if (namespace === '') out.push(required(`${at}.namespace`, 'service namespace is required'));
	if (port < 1 || port > 65_535) out.push(invalidValue(`${at}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
	if (path === undefined) return;
	if (path === '/' || path === '') return;
	if (!path.startsWith('/')) out.push(invalidValue(`${at}.path`, path, 'must start with a "/"'));
	else if (path.endsWith('/')) out.push(invalidValue(`${at}.path`, path, 'may not end with a "/"'));
	else if (path.includes('//')) out.push(invalidValue(`${at}.path`, path, 'segment[0] may not be empty'));
}
